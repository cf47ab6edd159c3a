"""Video and pictures: packets, frames, and what is done to them before they are shown."""

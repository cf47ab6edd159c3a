"""How the parts run together: code location, automation, command."""

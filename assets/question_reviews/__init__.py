"""What people decided on questions, and samples of questions for them to judge."""

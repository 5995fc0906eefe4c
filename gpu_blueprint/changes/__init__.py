"""Find out what a change of a stack does to the stack that runs."""

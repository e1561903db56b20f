"""What programs written in Go print: quoted texts, values, and text templates with their functions."""

"""Other people's programs: their sandbox, the wire protocol, and shims for courses' interfaces."""

"""Shell scripts run on virtual time: parsed into data, and walked by tasks whose state is data too.

Words (`reader`), what stands between them (`tokens`, `condition_parser`) and commands (`parser`) are read for three
dialects: `bash`, `dash` and `busybox`. What words become is worked out in `words`, with `braces`, `parameters`,
`patterns` and `arithmetic`; a `machine` walks through commands, with those of `compounds`, and calls what is built in
(`state`, `declaring`, `reading`, `printf`, `wrappers`, `tools`) or what its image has (`commands`). Who runs it is a
`host`: the first process of a container, a command beside it (`inside`), or the agent's own machine (`shell.tasks`).

What a task does takes no time but for `sleep` and its like, so that a script can be stopped and gone on with after any
snapshot; see `machine`.
"""

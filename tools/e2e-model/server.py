"""llama.cpp's own HTTP server with one model: `python server.py MODULE ALIAS TEMPLATE`. Says its address as JSON, and ends when its standard input does."""

import importlib.metadata
import importlib.util
import json
import os
import pathlib
import sys

import xllamacpp

module, alias, template = sys.argv[1:]
folder = pathlib.Path(importlib.util.find_spec(module).origin).parent
[model] = folder.glob("*.gguf")

params = xllamacpp.CommonParams()
params.model.path = str(model)
params.model_alias = {alias}
params.chat_template = pathlib.Path(template).read_text(encoding="utf-8")
params.use_jinja = True
params.n_ctx = 8192
params.n_parallel = 1
# An answer must not depend on what was asked before.
params.cache_prompt = False
# Threads that spin for one another crawl on a machine that others use, too.
params.cpuparams.n_threads = max(1, (os.cpu_count() or 2) // 2)

server = xllamacpp.Server(params)
print(
    json.dumps(
        {
            "address": server.listening_address,
            "server": importlib.metadata.version("xllamacpp"),
            "package": importlib.metadata.version(module),
            "file": model.name,
        }
    ),
    flush=True,
)
sys.stdin.read()

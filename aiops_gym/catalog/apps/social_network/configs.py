"""The configuration files of Social Network, as templates of its chart; what `{{ }}` holds are settings of the chart.

They are read by the programs themselves: a service finds its own port and every other's address in
`service-config.json`, its tracer in `jaeger-config.yml`, and the web server its routes in `nginx.conf`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from aiops_gym.catalog.apps.social_network.values import (
    MEDIA_PORT,
    MEMCACHED,
    MEMCACHED_PORT,
    MONGO_PORT,
    MONGODB,
    OPENRESTY,
    REDIS,
    REDIS_PORT,
    SERVICES,
    THRIFT_PORT,
)

JAEGER = "{{ .Values.global.jaeger.%s }}"


def _service_config() -> str:
    pool = {"connections": 512, "timeout_ms": 10000, "keepalive_ms": 10000}
    kinds = ((SERVICES, THRIFT_PORT), (MONGODB, MONGO_PORT), (REDIS, REDIS_PORT), (MEMCACHED, MEMCACHED_PORT))
    ports = {name: port for names, port in kinds for name in names} | {"media-frontend": MEDIA_PORT}
    config: dict[str, object] = {"secret": "secret"}
    for name, port in sorted(ports.items()):
        extra = {"binary_protocol": 1} if name in MEMCACHED else {}
        netif = {"netif": "eth0"} if name in ("unique-id-service", "user-service") else {}
        config[name] = {"addr": name, "port": port, **pool, **extra, **netif}
    config["ssl"] = {
        "enabled": False,
        "caPath": "/keys/CA.pem",
        "ciphers": "ALL:!ADH:!LOW:!EXP:!MD5:@STRENGTH",
        "serverKeyPath": "/keys/server.key",
        "serverCertPath": "/keys/server.crt",
    }
    lines = ",\n".join(f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in config.items())
    return f"{{\n{lines}\n}}"


TRACER_YAML = f"""disabled: {JAEGER % "disabled"}
reporter:
  logSpans: {JAEGER % "logSpans"}
  localAgentHostPort: "{JAEGER % "localAgentHostPort"}"
  queueSize: {{{{ int .Values.global.jaeger.queueSize }}}}
  bufferFlushInterval: {JAEGER % "bufferFlushInterval"}
sampler:
  type: "{JAEGER % "samplerType"}"
  param: {JAEGER % "samplerParam"}"""

TRACER_JSON = f"""{{
  "service_name": "nginx-web-server",
  "disabled": {JAEGER % "disabled"},
  "reporter": {{
    "logSpans": {JAEGER % "logSpans"},
    "localAgentHostPort": "{JAEGER % "localAgentHostPort"}",
    "queueSize": {{{{ int .Values.global.jaeger.queueSize }}}},
    "bufferFlushInterval": {JAEGER % "bufferFlushInterval"}
  }},
  "sampler": {{
    "type": "{JAEGER % "samplerType"}",
    "param": {JAEGER % "samplerParam"}
  }}
}}"""

MONGOD = """net:
  tls:
{{- if .Section.tls }}
    mode: {{ .Section.tls.mode }}
{{- if .Section.tls.certificateKeyFile }}
    certificateKeyFile: {{ .Section.tls.certificateKeyFile }}
{{- end }}
{{- else }}
    mode: disabled
{{- end }}"""
"""As in the original chart, the CA's file is a setting that is not rendered."""

REDIS_CONF = """port 6379
tls-port 0
io-threads 8
io-threads-do-reads yes
tls-cert-file /keys/server.crt
tls-key-file /keys/server.key
tls-auth-clients no"""

NGINX_HEAD = """worker_processes  auto;
events {
  use epoll;
  worker_connections  1024;
}
env fqdn_suffix;
http {"""
NGINX_SERVER = """  include       mime.types;
  default_type  application/octet-stream;
  sendfile        on;
  keepalive_timeout  120s;
  keepalive_requests 100000;
  resolver {{ .Values.global.nginx.resolverName }} valid=10s ipv6=off;
  lua_package_path '/usr/local/openresty/nginx/lua-scripts/?.lua;;';
  server {
    listen       8080 reuseport;
    server_name  localhost;
    access_log  off;"""

ENTRY_ROUTES = {
    "/api/user/register": ("api/user/register", "RegisterUser"),
    "/api/user/login": ("api/user/login", "Login"),
    "/api/user/follow": ("api/user/follow", "Follow"),
    "/api/user/unfollow": ("api/user/unfollow", "Unfollow"),
    "/api/post/compose": ("api/post/compose", "ComposePost"),
    "/api/home-timeline/read": ("api/home-timeline/read", "ReadHomeTimeline"),
    "/api/user-timeline/read": ("api/user-timeline/read", "ReadUserTimeline"),
    "/wrk2-api/user/register": ("wrk2-api/user/register", "RegisterUser"),
    "/wrk2-api/user/follow": ("wrk2-api/user/follow", "Follow"),
    "/wrk2-api/user/unfollow": ("wrk2-api/user/unfollow", "Unfollow"),
    "/wrk2-api/post/compose": ("wrk2-api/post/compose", "ComposePost"),
    "/wrk2-api/home-timeline/read": ("wrk2-api/home-timeline/read", "ReadHomeTimeline"),
    "/wrk2-api/user-timeline/read": ("wrk2-api/user-timeline/read", "ReadUserTimeline"),
}
MEDIA_ROUTES = {"/upload-media": ("upload-media", "UploadMedia"), "/get-media": ("get-media", "GetMedia")}


def _locations(routes: Mapping[str, tuple[str, str]]) -> str:
    return "\n".join(
        f'    location {path} {{\n      content_by_lua \'\n        local client = require "{module}"\n'
        f"        client.{function}();\n      ';\n    }}"
        for path, (module, function) in routes.items()
    )


ENTRY_CONF = f"""load_module modules/ngx_http_opentracing_module.so;
{NGINX_HEAD}
  opentracing on;
  opentracing_load_tracer /usr/local/lib/libjaegertracing_plugin.so {OPENRESTY}/nginx/jaeger-config.json;
{NGINX_SERVER}
    lua_need_request_body on;
    lua_ssl_trusted_certificate /keys/CA.pem;
{_locations(ENTRY_ROUTES)}
    location / {{
      root pages;
    }}
  }}
}}"""

MEDIA_CONF = f"""{NGINX_HEAD}
{NGINX_SERVER}
    client_max_body_size 100M;
    client_body_buffer_size 100M;
{_locations(MEDIA_ROUTES)}
  }}
}}"""

CONFIGS: Mapping[str, str] = {
    "service-config.json": _service_config(),
    "jaeger-config.yml": TRACER_YAML,
    "jaeger-config.json": TRACER_JSON,
    "mongod.conf": MONGOD,
    "redis.conf": REDIS_CONF,
    "nginx-thrift.conf": ENTRY_CONF,
    "media-frontend.conf": MEDIA_CONF,
}
"""By the name of the template; a file of another name says which one it is made from."""

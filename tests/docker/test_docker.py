"""`docker` in the shell: its texts, its exit codes, and what it does to containers."""

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aiops_gym.backends import Simulated
from aiops_gym.catalog import registry
from aiops_gym.clients.context import Context
from aiops_gym.docker import run
from aiops_gym.shell.clock import Clock

UNKNOWN = "Error response from daemon: No such container: nope\n"
USAGE = "\n\nUsage:  docker stop [OPTIONS] CONTAINER [CONTAINER...]\n\nStop one or more running containers\n"
OCI = "OCI runtime exec failed: exec failed: unable to start container process: exec:"
NAMES = ["clientapp-2", "clientapp-1", "supernode-2", "supernode-1", "serverapp", "superlink"]

REFUSED = {
    "docker stop nope": (UNKNOWN, 1),
    "docker start nope": (UNKNOWN + "Error: failed to start containers: nope\n", 1),
    "docker wait nope": (UNKNOWN, 1),
    "docker diff superlink": ("docker: 'diff' is not available on this host.\n", 1),
    "docker container prune": ("docker: 'container prune' is not available on this host.\n", 1),
    "docker system df": ("docker: 'system df' is not available on this host.\n", 1),
    "docker compose config": ("docker: 'compose config' is not available on this host.\n", 1),
    "docker compose -p flower up --no-start": ("unknown flag: --no-start\n", 16),
    "docker images -f dangling=true": ("Error response from daemon: invalid filter 'dangling'\n", 1),
    "docker restart nope": (UNKNOWN, 1),
    "docker kill nope": (UNKNOWN, 1),
    "docker rm nope": (UNKNOWN, 1),
    "docker logs nope": (UNKNOWN, 1),
    "docker exec nope ls": (UNKNOWN, 1),
    "docker top nope": (UNKNOWN, 1),
    "docker stats nope --no-stream": (UNKNOWN, 1),
    "docker port nope": (UNKNOWN, 1),
    "docker cp nope:/x .": (UNKNOWN, 1),
    "docker inspect nope": ("[]\nError: No such object: nope\n", 1),
    "docker network inspect nope": ("[]\nError response from daemon: network nope not found\n", 1),
    "docker logs": (
        "\"docker logs\" requires exactly 1 argument.\nSee 'docker logs --help'.\n\n"
        "Usage:  docker logs [OPTIONS] CONTAINER\n\nFetch the logs of a container\n",
        1,
    ),
    "docker stop": ("\"docker stop\" requires at least 1 argument.\nSee 'docker stop --help'." + USAGE, 1),
    "docker ps x": (
        "\"docker ps\" accepts no arguments.\nSee 'docker ps --help'.\n\n"
        "Usage:  docker ps [OPTIONS]\n\nList containers\n",
        1,
    ),
    "docker ps --nope": ("unknown flag: --nope\nSee 'docker ps --help'.\n", 125),
    "docker ps -y": ("unknown shorthand flag: 'y' in -y\nSee 'docker ps --help'.\n", 125),
    "docker fly": ("docker: 'fly' is not a docker command.\nSee 'docker --help'\n", 1),
    "docker ps -f nope=1": ("Error response from daemon: invalid filter 'nope'\n", 1),
    "docker ps --format '{{.Nope}}'": (
        'template parsing error: template: :1:2: executing "" at <.Nope>: '
        "can't evaluate field Nope in type *formatter.ContainerContext\n",
        1,
    ),
    "docker inspect superlink -f '{{nope .Name}}'": (
        'template parsing error: template: :1: function "nope" not defined\n',
        64,
    ),
    "docker inspect superlink -f '{{.State.Nope}}'": (
        'template parsing error: template: :1:8: executing "" at <.State.Nope>: map has no entry for key "Nope"\n',
        1,
    ),
    "docker ps -f nope": (
        'invalid argument "nope" for "-f, --filter" flag: bad format of filter (expected name=value)\n'
        "See 'docker ps --help'.\n",
        125,
    ),
    "docker kill -s NOPE superlink": ("Error response from daemon: invalid signal: NOPE\n", 1),
    "docker exec superlink nope": (f'{OCI} "nope": executable file not found in $PATH: unknown\n', 127),
    "docker exec superlink /bin/nope": (
        f'{OCI} "/bin/nope": stat /bin/nope: no such file or directory: unknown\n',
        127,
    ),
    "docker exec superlink /etc/hosts": (f'{OCI} "/etc/hosts": permission denied: unknown\n', 126),
    "docker exec superlink /app": (f'{OCI} "/app": permission denied: unknown\n', 126),
    "docker exec -w /nope superlink ls": (
        'OCI runtime exec failed: exec failed: unable to start container process: chdir to cwd ("/nope") set in '
        "config.json failed: no such file or directory: unknown\n",
        127,
    ),
    "docker exec -it superlink sh": ("the input device is not a TTY\n", 1),
    "docker exec superlink sh -c 'exit 42'": ("", 42),
    "docker exec superlink cat /nope": ("cat: /nope: No such file or directory\n", 1),
    "docker cp a b": ("must specify at least one container source\n", 1),
    "docker cp superlink:/nope .": (
        "Error response from daemon: Could not find the file /nope in container superlink\n",
        1,
    ),
    "docker cp nope superlink:/tmp": ("lstat nope: no such file or directory\n", 1),
    "docker compose ps": ("no configuration file provided: not found\n", 14),
    "docker compose -p nope stop": ('no container found for project "nope": not found\n', 1),
    "docker compose -p nope up -d": ("no configuration file provided: not found\n", 14),
    "docker compose -p nope down": ('Warning: No resource found to remove for project "nope".\n', 0),
    "docker compose -p flower exec nope ls": ('service "nope" is not running\n', 1),
    "docker compose -p flower port superlink 80": ("no port 80/tcp for container superlink: 9093/tcp, 9093/tcp\n", 1),
    "docker image inspect nope": ("[]\nError response from daemon: No such image: nope:latest\n", 1),
    "docker inspect --type image superlink": ("[]\nError: No such image: superlink\n", 1),
    "docker ps -f health=well": ("Error response from daemon: invalid filter 'health=well'\n", 1),
    "docker exec -u nobodyx superlink id": ("unable to find user nobodyx: no matching entries in passwd file\n", 126),
    "docker top superlink -o cmd": (
        "Error response from daemon: ps: exit status 1: error: columns cannot be chosen on this host\n",
        1,
    ),
    "docker pause superlink": ("docker: 'pause' is not available on this host.\n", 1),
    "docker cp superlink:/app /nope/x": ('invalid output path: directory "/nope" does not exist\n', 1),
    "docker inspect superlink -f '{{.State.Health.Status}}'": (
        'template parsing error: template: :1:8: executing "" at <.State.Health.Status>: '
        'map has no entry for key "Health"\n',
        1,
    ),
    "docker compose -p flower ps nope": ("no such service: nope\n", 1),
    "docker compose -f flower/nope.yml ps": ("open /root/flower/nope.yml: no such file or directory\n", 1),
    "docker compose fly": ('unknown docker command: "compose fly"\n', 16),
    "docker compose ps --nope": ("unknown flag: --nope\n", 16),
    "docker rm superlink": (
        'Error response from daemon: cannot remove container "/superlink": container is running: stop the container '
        "before removing or force remove\n",
        1,
    ),
    "docker logs --since soon superlink": (
        'invalid value for "since": failed to parse value as time or duration: "soon"\n',
        1,
    ),
    "docker port superlink 1": ("Error: No public port '1' published for superlink\n", 1),
}


class NoFiles:
    """A machine without files."""

    def read(self, path):
        raise FileNotFoundError(path)

    def write(self, path, text):
        pass

    def exists(self, path):
        return False

    def about(self, path):
        return None


def said(shell, words, code=0, timeout=60):
    done = shell.run(words, timeout)
    assert done.code == code, done.output
    return done.output


@pytest.mark.parametrize("words", REFUSED)
def test_what_is_wrong_is_told_in_docker_s_words(shell, words):
    done = shell.run(words)
    assert (done.output, done.code) == REFUSED[words]


@pytest.mark.parametrize(
    ("words", "code"), [("docker --nope ps", 125), ("docker network --nope", 125), ("docker network fly", 1)]
)
def test_what_has_subcommands_lists_them(shell, words, code):
    told = said(shell, words, code)
    assert ("unknown flag: --nope\nSee 'docker" in told) == (code == 125)
    assert "\nUsage:  docker " in told


def test_a_table_has_docker_s_columns(shell):
    lines = said(shell, "docker ps").splitlines()
    at = [lines[0].index(name) for name in ("IMAGE", "COMMAND", "CREATED", "STATUS", "PORTS", "NAMES")]
    assert lines[0].startswith("CONTAINER ID   IMAGE  ")
    assert [line[at[-1] :] for line in lines[1:]] == NAMES
    assert all(re.fullmatch(r"[0-9a-f]{12} {3}", line[: at[0]]) for line in lines[1:])
    assert lines[1][at[1] : at[2]].rstrip() == '"flwr-clientapp --in…"'
    assert lines[-1][at[4] : at[5]].rstrip() == "0.0.0.0:9093->9093/tcp, :::9093->9093/tcp"
    assert re.match(r"(About an hour|\d+ minutes) ago +Up (About an hour|\d+ minutes) ", lines[1][at[2] :])


def test_what_is_shown_is_chosen_by_filters_and_written_by_templates(shell):
    assert said(shell, "docker ps --format '{{.Names}}'").split() == NAMES
    assert said(shell, "docker ps -f name=node --format '{{.Names}}|{{.State}}'") == (
        "supernode-2|running\nsupernode-1|running\n"
    )
    assert said(shell, "docker ps -aqf status=exited") == ""
    assert said(shell, "docker ps -f label=com.docker.compose.service=superlink --format '{{lower .Names}}'") == (
        "superlink\n"
    )
    assert said(shell, "docker ps -f ancestor=flwr/supernode -q | wc -l").split() == ["2"]
    table = said(shell, r"docker ps -n 1 --format 'table {{.Names}}\t{{.Image}}'")
    assert table == "NAMES         IMAGE\nclientapp-2   adityapgupta/flower-client:1.0\n"
    row = json.loads(said(shell, "docker ps -l --format json"))
    assert (row["Names"], row["State"], row["Networks"]) == ("clientapp-2", "running", "flower_default")
    assert len(said(shell, "docker ps -q --no-trunc").split()[0]) == 64


def test_what_is_known_of_a_container_is_told_as_json(shell):
    (found,) = json.loads(said(shell, "docker inspect clientapp-1"))
    assert (found["Name"], found["Path"]) == ("/clientapp-1", "flwr-clientapp")
    assert found["Config"]["StopSignal"] == "SIGINT"
    assert found["HostConfig"]["NanoCpus"] == 2_000_000_000
    address = found["NetworkSettings"]["Networks"]["flower_default"]["IPAddress"]
    assert said(shell, "docker inspect -f '{{.NetworkSettings.Networks.flower_default.IPAddress}}' clientapp-1") == (
        f"{address}\n"
    )
    assert said(shell, "docker exec clientapp-1 sh -c 'grep \"$(hostname)\" /etc/hosts'").split()[0] == address
    assert said(shell, "docker inspect -f '{{json .State.Running}} {{.RestartCount}}' serverapp") == "true 0\n"
    assert found["Id"][:8] in said(shell, "docker inspect flower_default -f '{{json .Containers}}'")


def test_a_stopped_container_says_so_and_comes_back_with_its_files(shell):
    said(shell, "docker exec supernode-1 sh -c 'echo kept > /tmp/note'")
    assert said(shell, "docker stop supernode-1 supernode-2") == "supernode-1\nsupernode-2\n"
    assert said(shell, "docker ps -a -f exited=0 --format '{{.Names}} {{.Status}}'") == (
        "supernode-2 Exited (0) Less than a second ago\nsupernode-1 Exited (0) Less than a second ago\n"
    )
    identity = said(shell, "docker ps -aqf name=supernode-1 --no-trunc").strip()
    assert said(shell, "docker exec supernode-1 ls", 1) == (
        f"Error response from daemon: container {identity} is not running\n"
    )
    why = f"cannot kill container: supernode-1: container {identity} is not running"
    assert said(shell, "docker kill supernode-1", 1) == f"Error response from daemon: {why}\n"
    assert said(shell, "docker start supernode-1; docker exec supernode-1 cat /tmp/note") == "supernode-1\nkept\n"
    assert said(shell, "docker ps -qf name=supernode-1 --no-trunc").strip() == identity


def test_who_takes_no_notice_of_a_signal_is_killed_after_ten_seconds(shell):
    before = shell.cluster.now()
    assert said(shell, "docker stop serverapp") == "serverapp\n"
    assert 10 <= shell.cluster.now() - before < 12
    assert said(shell, "docker inspect -f '{{.State.ExitCode}} {{.State.Status}}' serverapp") == "137 exited\n"
    said(shell, "sleep 30")
    assert said(shell, "docker ps -qf name=serverapp") == ""  # its policy brings back what failed, not what was stopped


def test_a_log_lasts_over_restarts_and_is_cut_by_time_and_tail(shell):
    whole = said(shell, "docker logs superlink").splitlines()
    assert said(shell, "docker restart superlink") == "superlink\n"
    said(shell, "sleep 5")
    after = said(shell, "docker logs superlink").splitlines()
    assert after[: len(whole)] == whole
    assert sum("Starting Flower SuperLink" in line for line in after) == 2
    assert said(shell, "docker logs --tail 2 superlink").splitlines() == after[-2:]
    assert "Starting Flower SuperLink" in said(shell, "docker logs --since 10s superlink")
    assert said(shell, "docker logs -n 0 superlink") == ""
    stamps = [line.split()[0] for line in said(shell, "docker logs -t superlink").splitlines()]
    assert stamps == sorted(stamps)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z", stamps[0])


def test_events_are_told_until_nobody_waits(shell):
    done = shell.run("docker stop supernode-2; timeout 3 docker events --since 5s --format '{{.Type}} {{.Action}}'", 30)
    assert done.code == 124
    assert done.output.splitlines()[1:] == [
        "container kill",
        "container die",
        "network disconnect",
        "container stop",
    ]
    told = said(shell, "docker events --since 1m --until 0s -f event=die")
    assert re.match(r"\S{30} container die [0-9a-f]{64} \(com.docker.compose.config-hash=[0-9a-f]{64}, ", told)
    assert "exitCode=0, image=flwr/supernode:1.15.2, name=supernode-2)\n" in told


def test_files_are_copied_there_and_back(shell):
    told = said(shell, "echo a b > x; docker cp x superlink:/tmp/; docker exec superlink cat /tmp/x")
    assert told == "Successfully copied 2.05kB to superlink:/tmp/\na b\n"
    assert said(shell, "docker cp -q superlink:/tmp/x y; cat y") == "a b\n"


def test_a_folder_is_copied_with_what_lies_in_it_or_only_that(shell):
    assert said(shell, "docker cp superlink:/app app; ls -d app") == "Successfully copied 1.54kB to app\napp\n"
    said(shell, "docker cp flower superlink:/tmp; docker cp superlink:/tmp/flower copy")
    assert said(shell, "ls -R copy | tail -n +2") == said(shell, "ls -R flower | sed s/flower/copy/ | tail -n +2")
    assert said(shell, "cat copy/train/task.py") == said(shell, "cat flower/train/task.py")
    said(shell, "mkdir inner; docker cp superlink:/tmp/flower/. inner; docker cp superlink:/tmp/flower inner")
    assert said(shell, "cd inner; ls; ls flower").split() == ["compose.yml", "flower", "train", "compose.yml", "train"]


FIELDS = {
    "{{json .State.Health}} {{.State.Health}} {{if .State.Health}}a{{else}}b{{end}}": "null <nil> b",
    "{{.HostConfig.LogConfig.Type}} {{.HostConfig.Privileged}} {{.HostConfig.IpcMode}}": "json-file false private",
    "{{.HostConfig.Binds}} {{json .HostConfig.Binds}} {{.Config.Volumes}}": "[] null map[]",
    '{{.HostConfig.ExtraHosts}} {{.ResolvConfPath | printf "%.8s"}}': "[] /var/lib",
    "{{range .HostConfig.Binds}}x{{end}}|{{.Config.User}}|{{.Config.Tty}}|{{.NetworkSettings.IPAddress}}": "||false|",
    "{{.GraphDriver.Name}} {{.SizeRw}} {{.Config.Healthcheck}}": "overlay2 <nil> <nil>",
    '{{index .Config.Labels "com.docker.compose.project.working_dir"}}': "/root/flower",
    '{{index .Config.Labels "com.docker.compose.project.config_files"}}': "/root/flower/compose.yml",
}


@pytest.mark.parametrize("form", FIELDS)
def test_a_container_has_all_fields_and_nil_where_go_has_it(shell, form):
    assert said(shell, f"docker inspect -f '{form}' superlink") == f"{FIELDS[form]}\n"


def test_images_are_told_of_with_the_newest_first(shell):
    times = said(shell, "docker images --format '{{.CreatedAt}}'").splitlines()
    assert len(times) == 4
    assert times == sorted(times, reverse=True)
    assert said(shell, "docker images -qf reference='flwr/*' | wc -l").strip() == "2"
    (image,) = json.loads(said(shell, "docker image inspect flwr/superlink:1.15.2"))
    assert image["Config"]["Entrypoint"] == ["flower-superlink"]
    assert image["Created"].startswith(times[-1][:10])
    assert said(shell, "docker inspect -f '{{.Image}}' superlink").strip() == image["Id"]


def test_containers_are_chosen_by_when_they_were_made_and_what_they_publish(shell):
    show = "--format '{{.Names}}'"
    assert said(shell, f"docker ps -f before=serverapp {show}") == "superlink\n"
    assert said(shell, f"docker ps -f since=supernode-2 {show}").split() == NAMES[:2]
    assert said(shell, f"docker ps -f publish=9093 {show}; docker ps -qf health=healthy") == "superlink\n"


def test_the_host_as_a_whole_is_told_of(shell):
    told = said(shell, "docker info")
    assert " Containers: 6\n  Running: 6\n" in told
    assert " Name: kind-control-plane\n" in told
    assert said(shell, "docker info -f '{{.ServerVersion}}'; docker volume ls") == "27.5.1\nDRIVER    VOLUME NAME\n"
    told = said(shell, "docker version")
    assert told.startswith("Client: Docker Engine - Community\n Version:          27.5.1\n API version:      1.47\n")
    assert " Engine:\n  Version:         27.5.1\n" in told


def test_a_container_is_waited_for(shell):
    assert said(shell, "(sleep 3; docker kill serverapp >/dev/null)& docker wait serverapp") == "137\n"
    assert said(shell, "docker wait nope serverapp", 1) == f"137\n{UNKNOWN}"


def test_processes_are_those_of_root_everywhere(shell):
    assert said(shell, "docker exec superlink id; docker top superlink | tail -1").startswith("uid=0(root)")
    assert said(shell, "docker top superlink").splitlines()[1].split()[0] == "root"
    assert said(shell, "docker top superlink aux").split()[:4] == ["USER", "PID", "%CPU", "%MEM"]


def test_what_is_used_is_measured_and_processes_are_listed(shell):
    rows = said(shell, "docker stats --no-stream --format '{{.Name}} {{.PIDs}} {{.MemUsage}}'").splitlines()
    assert [row.split()[0] for row in rows] == NAMES
    assert all(row.endswith(" / 15.62GiB") for row in rows)
    assert "flower-superlink --insecure --isolation process" in said(shell, "docker top superlink")
    assert said(shell, "docker network ls --format '{{.Name}} {{.Driver}}'") == (
        "bridge bridge\nflower_default bridge\nhost host\nnone null\n"
    )
    assert said(shell, "docker port superlink") == "9093/tcp -> 0.0.0.0:9093\n9093/tcp -> [::]:9093\n"
    assert said(shell, "docker version --format '{{.Server.Version}}'; docker --version") == (
        "27.5.1\nDocker version 27.5.1, build 9f9e405\n"
    )
    assert len(said(shell, "docker images -q").split()) == 4


@pytest.mark.parametrize("words", ["docker", "docker --help", "docker ps --help", "docker compose", "docker network"])
def test_help_is_given(shell, words):
    assert "Usage:  docker" in said(shell, words)


WORDS = (
    *(
        "ps",
        "logs",
        "inspect",
        "wait",
        "kill",
        "down",
        "config",
        "-p",
        "flower",
        "exec",
        "stop",
        "cp",
        "events",
        "compose",
        "network",
        "ls",
        "up",
        "superlink",
        "/x",
        "a:b",
    ),
    *(
        "-a",
        "-q",
        "-f",
        "-n",
        "-1",
        "--",
        "--format",
        "{{.Names}}",
        "{{json .}}",
        "{{split .Names .ID}}",
        "{{",
        "name=(a+)+",
    ),
    *(
        "--since",
        "1h",
        "-t",
        "--tail",
        "all",
        "--until",
        "0s",
        "-",
        "",
        "=",
        "status=x",
        "{{range .}}",
        "sh",
        "-c",
        "é",
    ),
)


@settings(max_examples=150, deadline=None)
@given(words=st.lists(st.sampled_from(WORDS), max_size=7))
def test_nothing_that_is_typed_raises(incident, words):
    cluster = incident.fork().cluster
    context = Context(Clock(cluster, cluster.now() + 20), NoFiles(), "/root", {})
    done = run(context, ["docker", *words])
    assert isinstance(done.stdout + done.stderr, str)
    assert done.code in (0, 1, 14, 16, 64, 124, 125, 126, 127) or "sh" in words


def test_other_hosts_have_no_docker():
    shell = Simulated(registry.find_problem("noop_detection_hotel_reservation-1"), 1, noise=False).shell
    assert said(shell, "docker ps", 127) == "bash: line 1: docker: command not found\n"


def test_looking_changes_nothing_but_the_clock(incident):
    twin = incident.fork()
    before = twin.world.fork()
    looks = (
        "ps -a",
        "logs serverapp",
        "inspect superlink",
        "stats --no-stream",
        "top superlink",
        "network ls",
        "images",
    )
    for words in looks:
        twin.shell.run(f"docker {words}")
    before.run_until(twin.world.now)
    assert before.difference(incident.world) == twin.world.difference(incident.world)

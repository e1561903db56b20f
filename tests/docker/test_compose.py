"""`docker compose` in the shell: what it makes of its file, in which order, and what it says of it."""

import json

import pytest

NAMES = ["clientapp-1", "clientapp-2", "serverapp", "superlink", "supernode-1", "supernode-2"]


def said(shell, words, code=0):
    done = shell.run(words, 60)
    assert done.code == code, done.output
    return done.output


def test_services_start_after_what_they_depend_on_and_end_before_it(shell):
    told = said(shell, "cd flower; docker compose stop superlink; docker compose up -d serverapp").splitlines()
    link, app = " Container superlink  ", " Container serverapp  "
    begun = [f"{link}Created", f"{app}Running", f"{link}Starting", f"{link}Started"]
    assert told == [f"{link}Stopping", f"{link}Stopped", *begun]
    order = [
        line.split()[1] for line in said(shell, "cd flower; docker compose stop").splitlines() if "Stopped" in line
    ]
    assert order == ["clientapp-1", "clientapp-2", "serverapp", "supernode-1", "supernode-2", "superlink"]
    told = said(shell, "cd flower; docker compose start clientapp-1 2>&1 | grep Started").split()[1::3]
    assert told == ["superlink", "supernode-1", "clientapp-1"]


def test_a_project_goes_down_and_comes_back_without_a_pull(shell):
    told = said(shell, "cd flower; docker compose down").splitlines()
    assert told[-4:] == [
        " Container superlink  Removing",
        " Container superlink  Removed",
        " Network flower_default  Removing",
        " Network flower_default  Removed",
    ]
    assert said(shell, "docker ps -aq; docker network ls -qf name=flower") == ""
    told = said(shell, "cd flower; docker compose up -d").splitlines()
    assert told[:2] == [" Network flower_default  Creating", " Network flower_default  Created"]
    assert told[-1] == " Container clientapp-2  Started"


def test_another_definition_needs_another_container(shell):
    before = said(shell, "docker ps -q")
    told = said(shell, "cd flower; sed -i s/9091/9999/ compose.yml; docker compose up -d")
    assert [line for line in told.splitlines() if "Rec" in line] == [
        " Container serverapp  Recreate",
        " Container serverapp  Recreated",
    ]
    assert len({*before.split()} & {*said(shell, "docker ps -q").split()}) == 5
    assert said(shell, "docker inspect -f '{{.Args}}' serverapp").strip().endswith("superlink:9999]")
    assert "Recreate" not in said(shell, "cd flower; docker compose up -d")
    told = said(shell, "cd flower; docker compose up -d --force-recreate --no-deps clientapp-2").splitlines()
    assert told[:2] == [" Container clientapp-2  Recreate", " Container clientapp-2  Recreated"]


WEB = '  web: {image: busybox, command: sleep 99, environment: [A=b], ports: ["81:80"], depends_on: [superlink]}'


def test_a_new_service_gets_a_container_with_what_its_file_says(shell):
    told = said(shell, f"cd flower; echo '{WEB}' >> compose.yml; docker compose up -d web").splitlines()
    assert told[:2] == [" web  Pulling", " web  Pulled"]
    assert told[-1] == " Container flower-web-1  Started"
    assert "A=b\n" in said(shell, "cd flower; docker compose exec web env")
    assert said(shell, "cd flower; docker compose port web 80") == "0.0.0.0:81\n"


BROKEN = {
    "echo 'foo: [' >> compose.yml": "yaml: line 41: did not find expected node content",
    "echo 'foo: 1' >> compose.yml": (
        "validating /root/flower/compose.yml: (root) Additional property foo is not allowed"
    ),
    "sed -i 's/image: flwr/imagex: flwr/' compose.yml": (
        "validating /root/flower/compose.yml: services.superlink Additional property imagex is not allowed"
    ),
    "sed -i '/image: flwr.superl/d' compose.yml": (
        'service "superlink" has neither an image nor a build context specified: invalid compose project'
    ),
    "sed -i 's/depends_on: .superlink./depends_on: [nope]/' compose.yml": (
        'service "serverapp" depends on undefined service "nope": invalid compose project'
    ),
    "echo '  a: {image: b, depends_on: [a]}' >> compose.yml": "dependency cycle detected: a -> a",
    "echo '  a: {image: b, ports: 5}' >> compose.yml": (
        "validating /root/flower/compose.yml: services must be a mapping"
    ),
    "echo '  a: {image: b, ports: [x:80]}' >> compose.yml": "invalid hostPort: x",
    "echo '  a: {image: b, cpus: inf}' >> compose.yml": (
        "validating /root/flower/compose.yml: services must be a mapping"
    ),
    "echo > compose.yml": "empty compose file",
}


@pytest.mark.parametrize("edit", BROKEN)
def test_a_broken_file_stops_every_verb_of_compose(shell, edit):
    assert said(shell, f"cd flower; {edit}; docker compose ps", 15) == f"{BROKEN[edit]}\n"
    assert said(shell, "cd flower; docker compose up -d", 15) == f"{BROKEN[edit]}\n"
    assert len(said(shell, "docker ps -q").split()) == 6


UNABLE = {
    "sed -i 's/on-failure/often/' compose.yml": (
        "invalid restart policy: unknown policy 'often'; use one of 'no', 'always', 'on-failure', or 'unless-stopped'"
    ),
    "sed -i 's/SIGINT/SIGNO/' compose.yml": "invalid signal: NO",
}


@pytest.mark.parametrize("edit", UNABLE)
def test_what_no_container_can_be_made_of_leaves_the_one_that_is_there(shell, edit):
    told = said(shell, f"cd flower; {edit}; docker compose up -d", 1)
    assert told.splitlines()[-1] == f"Error response from daemon: {UNABLE[edit]}"
    assert len(said(shell, "docker ps -q").split()) == 6


def test_an_image_that_nobody_has_leaves_the_containers_as_they_are(shell):
    told = said(shell, "cd flower; sed -i 's/link:1.15.2/link:1.99/' compose.yml; docker compose up -d", 1)
    assert told.endswith("daemon: manifest for flwr/superlink:1.99 not found: manifest unknown: manifest unknown\n")
    assert len(said(shell, "docker ps -q").split()) == 6


def test_a_project_is_listed_shown_and_reached_by_service(shell):
    row = json.loads(said(shell, "cd flower; docker compose ps --format json superlink"))
    assert (row["ExitCode"], row["Health"], row["Project"]) == (0, "", "flower")
    assert row["Publishers"][0] == {"URL": "0.0.0.0", "TargetPort": 9093, "PublishedPort": 9093, "Protocol": "tcp"}
    words = "cd flower; docker compose version; docker compose exec superlink sh -c 'exit 3'"
    assert said(shell, words, 3) == "Docker Compose version v2.32.4\n"
    assert len(said(shell, "cd flower; docker compose images").splitlines()) == 7
    assert said(shell, "cd flower/train; docker compose top superlink").splitlines()[0] == "superlink"
    assert said(shell, "cd flower; docker compose kill clientapp-1 && docker compose rm -f") == (
        " Container clientapp-1  Killing\n Container clientapp-1  Killed\nGoing to remove clientapp-1\n"
        " Container clientapp-1  Removing\n Container clientapp-1  Removed\n"
    )


def test_a_removed_container_is_made_anew_from_its_project(shell):
    assert said(shell, "docker rm -f clientapp-2; docker ps -aqf name=clientapp-2") == "clientapp-2\n"
    told = said(shell, "cd flower && docker compose up -d && docker compose ps --services").splitlines()
    assert " Container clientapp-2  Started" in told
    assert " Container clientapp-1  Running" in told
    assert told[-6:] == NAMES
    assert said(shell, "docker compose ls").splitlines()[1].split() == [
        "flower",
        "running(6)",
        "/root/flower/compose.yml",
    ]

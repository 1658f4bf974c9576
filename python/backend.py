# SPDX-License-Identifier: MIT
"""Builds the wheel and the sdist (PEP 517) with nothing but Python, so that neither needs a network.

    python3 backend.py OUT     both, into a folder

The wheel holds the package and the shared libraries of SUPPLE_LIBRARY (default ../build/shared). It has no compiled
module: one wheel serves every Python on the platform that the libraries are for. The sdist holds the package alone and
uses libraries of the machine."""
import base64
import hashlib
import io
import os
import pathlib
import re
import sys
import sysconfig
import tarfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
LIBRARIES = ('libsupple.so.%s', 'libsupple_io.so.%s')
STAMP = (1980, 1, 1, 0, 0, 0)  # the same bytes whenever it is built


def version():
    text = (HERE / 'supple/_api.py').read_text()
    return '.'.join(re.search(r'SUP_VERSION_%s = (\d+)' % part, text).group(1) for part in ('MAJOR', 'MINOR', 'PATCH'))


def package_files():
    return sorted(p for p in (HERE / 'supple').iterdir() if p.suffix == '.py' or p.name == 'py.typed')


def library_files():
    folder = pathlib.Path(os.environ.get('SUPPLE_LIBRARY', HERE.parent / 'build/shared'))
    found = [folder / (name % '.'.join(version().split('.')[:2])) for name in LIBRARIES]
    return [path for path in found if path.exists()]


def metadata():
    return ('Metadata-Version: 2.1\nName: supple\nVersion: %s\nSummary: Makes animated characters soft\n'
            'License: MIT\nRequires-Python: >=3.8\n' % version())


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    libraries = library_files()
    # without libraries inside, those of the machine are used, whatever it is
    tag = 'py3-none-' + (re.sub('[-.]', '_', sysconfig.get_platform()) if libraries else 'any')
    name = 'supple-%s-%s.whl' % (version(), tag)
    info = 'supple-%s.dist-info/' % version()
    files = {'supple/' + path.name: path.read_bytes() for path in package_files()}
    files.update({'supple/lib/' + path.name: path.read_bytes() for path in libraries})
    files[info + 'METADATA'] = metadata().encode()
    files[info + 'WHEEL'] = ('Wheel-Version: 1.0\nGenerator: supple\nRoot-Is-Purelib: %s\nTag: %s\n'
                             % ('false' if libraries else 'true', tag)).encode()
    record = []
    for path, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b'=').decode()
        record.append('%s,sha256=%s,%d' % (path, digest, len(data)))
    files[info + 'RECORD'] = '\n'.join(record + [info + 'RECORD,,', '']).encode()
    with zipfile.ZipFile(os.path.join(wheel_directory, name), 'w', zipfile.ZIP_DEFLATED) as wheel:
        for path, data in files.items():
            entry = zipfile.ZipInfo(path, STAMP)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            wheel.writestr(entry, data)
    return name


def build_sdist(sdist_directory, config_settings=None):
    root = 'supple-%s' % version()
    files = {'PKG-INFO': metadata().encode()}
    files.update({str(p.relative_to(HERE)): p.read_bytes() for p in package_files()})
    for extra in ['pyproject.toml', 'backend.py'] + sorted('examples/' + p.name for p in (HERE / 'examples').glob('*.py')):
        files[extra] = (HERE / extra).read_bytes()
    name = root + '.tar.gz'
    with tarfile.open(os.path.join(sdist_directory, name), 'w:gz') as archive:
        for path, data in files.items():
            entry = tarfile.TarInfo('%s/%s' % (root, path))
            entry.size, entry.mode = len(data), 0o644
            archive.addfile(entry, io.BytesIO(data))
    return name


if __name__ == '__main__':
    os.makedirs(sys.argv[1], exist_ok=True)
    for build in (build_wheel, build_sdist):
        print(os.path.join(sys.argv[1], build(sys.argv[1])))

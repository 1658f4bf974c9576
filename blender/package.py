#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""package.py LIBRARIES OUT: the add-on as one zip with the Python package and libsupple inside.

The zip installs as an add-on (Blender 3.4 to 4.1) and as an extension (4.2 and later)."""
import os
import pathlib
import re
import sys
import sysconfig
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
PACKAGE = HERE.parent / 'python/supple'
FOLDER = 'supple_addon'
STAMP = (1980, 1, 1, 0, 0, 0)


def main():
    libraries, out = map(pathlib.Path, sys.argv[1:3])
    api = (PACKAGE / '_api.py').read_text()
    version = [re.search(r'SUP_VERSION_%s = (\d+)' % part, api).group(1) for part in ('MAJOR', 'MINOR', 'PATCH')]
    for name, text in (('__init__.py', "'version': (%s)" % ', '.join(version)), ('blender_manifest.toml', 'version = "%s"' % '.'.join(version))):
        if text not in (HERE / FOLDER / name).read_text():
            sys.exit('%s is not of version %s' % (name, '.'.join(version)))
    # files are Blender's business: the core alone, which needs nothing but the C library
    library = 'libsupple.so.' + '.'.join(version[:2])
    files = {p.name: p for p in (HERE / FOLDER).iterdir() if p.suffix in ('.py', '.toml')}
    files.update({'supple/' + p.name: p for p in PACKAGE.iterdir() if p.suffix == '.py'})
    files['supple/lib/' + library] = libraries / library
    files['LICENSE'] = HERE.parent / 'LICENSE'
    out.mkdir(parents=True, exist_ok=True)
    path = out / ('supple-%s-%s.zip' % ('.'.join(version), sysconfig.get_platform().replace('linux-x86_64', 'linux-x64')))
    with zipfile.ZipFile(path, 'w') as archive:
        for name in sorted(files):
            entry = zipfile.ZipInfo('%s/%s' % (FOLDER, name), STAMP)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, files[name].read_bytes())
    print(os.path.relpath(path))


if __name__ == '__main__':
    main()

# SPDX-License-Identifier: MIT
"""The Python package: layouts, errors, lifetimes, views without copies, bits, bakes, wheel and sdist.

SUPPLE_LIBRARY names the folder of the shared libraries; SUPPLE (optional) the command line, for a character in a file."""
import array
import ctypes
import gc
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / 'python'))
import supple
from supple import _api, _library

try:
    import numpy
except ImportError:
    numpy = None

HEIGHT, SIDES = 9, 8


def translation(y):
    return ((1, 0, 0, 0), (0, 1, 0, y), (0, 0, 1, 0), (0, 0, 0, 1))


def make_column(**changes):
    """A closed square column of height 2 on two joints."""
    vertices, joints, weights, triangles = [], [], [], []
    for ring in range(HEIGHT):
        y = 2 * ring / (HEIGHT - 1)
        for side in range(SIDES):
            angle = 2 * math.pi * side / SIDES
            vertices.append((0.4 * math.cos(angle), y, -0.4 * math.sin(angle)))
            joints.append((0, 1))
            weights.append((1, 0) if y < 1 else (0, 1))
            if ring + 1 < HEIGHT:
                a, b = ring * SIDES + side, ring * SIDES + (side + 1) % SIDES
                triangles += [(a, b, a + SIDES), (b, b + SIDES, a + SIDES)]
    for end, turn in ((0, -1), (HEIGHT - 1, 1)):
        ring = [end * SIDES + side for side in range(SIDES)][::turn]
        triangles += [(ring[0], ring[i], ring[i + 1]) for i in range(1, SIDES - 1)]
    mesh = dict(name='column', vertices=vertices, triangles=triangles, skin=(0, 1), joints=joints, weights=weights,
                influences=2, inverse_binds=[translation(0), translation(-1)])
    mesh.update(changes)
    nodes = [supple.Node('lower'), supple.Node('upper', 0, translation(1))]
    return supple.Character.from_arrays(nodes, [supple.Mesh(**mesh)], name='column')


def play(threads=1, frames=12, method='position'):
    scene = supple.Scene(substeps=2, threads=threads)
    actor = scene.add(supple.Flesh(make_column(), method=method, threads=threads))
    for frame in range(frames):
        half = 0.04 * frame
        actor.pose.set_local(1, (0, 1, 0), (math.cos(half), 0, 0, math.sin(half)))
        scene.step(1 / 30)
    return actor


class Api(unittest.TestCase):
    def test_generated_file_is_current(self):
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / '_api.py'
            subprocess.run([sys.executable, str(ROOT / 'python/generate.py'), str(out)], check=True)
            self.assertEqual(out.read_text(), (ROOT / 'python/supple/_api.py').read_text(), 'run python/generate.py')

    def test_layouts_are_the_compilers(self):
        lines = ['#include <stdio.h>', '#include <stddef.h>', '#include <supple/supple.h>', 'int main( void ) {']
        expected = []
        for struct in _api.STRUCTS:
            lines.append('printf( "%%zu\\n", sizeof( %s ) );' % struct.__name__)
            expected.append((struct.__name__, ctypes.sizeof(struct)))
            for name, *_ in struct._fields_:
                lines.append('printf( "%%zu\\n", offsetof( %s, %s ) );' % (struct.__name__, name))
                expected.append((struct.__name__ + '.' + name, getattr(struct, name).offset))
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder) / 'layout.c'
            source.write_text('\n'.join(lines + ['}', '']))
            subprocess.run(['cc', '-I', str(ROOT / 'include'), str(source), '-o', folder + '/layout'], check=True)
            numbers = subprocess.run([folder + '/layout'], check=True, stdout=subprocess.PIPE, text=True).stdout.split()
        self.assertEqual(expected, list(zip((name for name, _ in expected), map(int, numbers))))

    def test_every_public_function_is_there(self):
        declared = set()
        for header in (ROOT / 'include/supple').glob('*.h'):
            declared |= set(re.findall(r'^SUP_API [^;(]*\b(sup\w+)\(', header.read_text(), re.M))
        self.assertEqual(declared, set(_api.CORE_FUNCTIONS) | set(_api.IO_FUNCTIONS))

    def test_another_version_is_refused(self):
        with self.assertRaisesRegex(supple.LibraryError, r'old\.so is version 0\.0\.9.*install both'):
            _library.check_version('old.so', (0, 0, 9))

    def test_a_missing_library_names_places(self):
        code = 'import supple; supple.methods()'
        environment = dict(os.environ, SUPPLE_LIBRARY='/nowhere', PYTHONPATH=str(ROOT / 'python'))
        result = subprocess.run([sys.executable, '-c', code], env=environment, stderr=subprocess.PIPE, text=True)
        self.assertIn('/nowhere/libsupple.so', result.stderr)
        self.assertIn('SUPPLE_LIBRARY', result.stderr)


class Characters(unittest.TestCase):
    def test_arrays_of_all_kinds_give_the_same(self):
        first = make_column()
        vertices = array.array('f', [n for v in first.vertices().tolist() for n in v])
        second = make_column(vertices=vertices)
        self.assertEqual(bytes(first.vertices()), bytes(second.vertices()))
        if numpy is not None:
            third = make_column(vertices=numpy.array(first.vertices(), dtype='f8'))
            self.assertEqual(bytes(first.vertices()), bytes(third.vertices()))
        self.assertEqual(first.node_names, ('lower', 'upper', 'column'))
        self.assertEqual(first.node_parents, (-1, 0, -1))

    def test_mistakes_are_errors(self):
        with self.assertRaisesRegex(ValueError, 'column.weights: expected 72 x 2 numbers'):
            make_column(weights=[1.0, 0.0])
        with self.assertRaisesRegex(ValueError, 'inverse_binds: expected 2 matrices'):
            make_column(inverse_binds=[translation(0)])
        with self.assertRaises(supple.SuppleError) as caught:
            make_column(triangles=[(0, 1, 5000)])
        self.assertTrue(caught.exception.message)
        with self.assertRaises(supple.SuppleError):
            make_column(vertices=[(float('nan'), 0, 0)] * (HEIGHT * SIDES))
        with self.assertRaisesRegex(IndexError, 'instance 3'):
            make_column().vertex_count(3)
        with self.assertRaisesRegex(supple.SuppleError, 'no clip "Walk"; clips: none'):
            make_column().clip('Walk')

    def test_a_missing_file_says_so(self):
        with self.assertRaises(supple.SuppleError) as caught:
            supple.Character.load('/nowhere/at/all.glb')
        self.assertIn('/nowhere/at/all.glb', caught.exception.where)

    def test_softness_is_guessed_or_painted(self):
        guessed = make_column().softness()[0]
        self.assertEqual(len(guessed), HEIGHT * SIDES)
        self.assertTrue(all(0 <= value <= 1 for value in guessed))
        painted = make_column(softness=[1.0 if i < SIDES else 0.0 for i in range(HEIGHT * SIDES)]).softness()[0]
        self.assertGreater(painted[0], painted[-1])


class FleshAndScenes(unittest.TestCase):
    def test_tables(self):
        methods = supple.methods()
        self.assertIn('position', methods)
        softness = {p.name: p for p in methods['position'].parameters}['softness']
        self.assertTrue(softness.summary and softness.minimum == 0 and softness.maximum == 1)
        self.assertEqual(list(supple.presets()), ['firm', 'standard', 'jelly', 'heavy'])
        self.assertEqual(supple.preset_settings('jelly', 'lbs'), {})
        with self.assertRaisesRegex(supple.SuppleError, 'unknown method "jello"; methods: .*position'):
            supple.Flesh(make_column(), method='jello')
        with self.assertRaises(supple.SuppleError):
            supple.Flesh(make_column(), settings={'no such thing': 1})

    def test_positions_are_the_librarys_memory(self):
        actor = play(frames=2)
        view = actor.positions()
        self.assertEqual(view.shape, (HEIGHT * SIDES, 3))
        before = view.tolist()
        actor.pose.set_local(0, (0.5, 0, 0))
        actor.scene.step(1 / 30)
        self.assertNotEqual(before, view.tolist())
        if numpy is not None:
            shared = numpy.asarray(actor.positions())
            self.assertFalse(shared.flags.owndata)
            self.assertEqual(shared.ctypes.data, numpy.asarray(view).ctypes.data)

    def test_views_keep_their_owner(self):
        view = play(frames=1).positions()  # nothing else holds actor, scene and flesh
        gc.collect()
        self.assertEqual(len(view.tolist()), HEIGHT * SIDES)

    def test_an_actor_in_use_is_not_removed(self):
        actor = play(frames=1)
        view = actor.positions()
        for end in (actor.scene.close, lambda: actor.scene.remove(actor)):
            with self.assertRaisesRegex(BufferError, 'still in use'):
                end()
        del view
        gc.collect()
        actor.scene.remove(actor)
        with self.assertRaisesRegex(ValueError, 'removed'):
            actor.positions()
        actor.scene.close()
        with self.assertRaisesRegex(ValueError, 'closed'):
            actor.scene.step(0.1)

    def test_objects_free_themselves_in_any_order(self):
        for _ in range(50):
            character = make_column()
            flesh = supple.Flesh(character, method='lbs')
            scene = supple.Scene()
            actor = scene.add(flesh)
            loop = [scene, actor, flesh, character]
            loop.append(loop)
            del character, flesh, scene, actor, loop
        gc.collect()

    def test_same_bits_on_any_threads(self):
        for method in ('position', 'points'):
            one = bytes(play(1, method=method).positions())
            self.assertEqual(one, bytes(play(3, method=method).positions()))

    def test_worlds_in_equal_locals_in(self):
        first, second = play(frames=6), play(frames=6)
        first.pose.set_local(1, (0, 1, 0), (math.cos(0.5), 0, 0, math.sin(0.5)))
        self.assertEqual(second.pose.set_worlds(first.pose.worlds()), 0)
        for actor in (first, second):
            actor.scene.step(1 / 30)
        for a, b in zip(first.positions().tolist(), second.positions().tolist()):
            self.assertLess(max(abs(p - q) for p, q in zip(a, b)), 1e-5)

    def test_states_go_on_bit_for_bit(self):
        actor = play(frames=5)
        state = actor.save_state()
        actor.scene.step(1 / 30)
        expected = bytes(actor.positions())
        actor.restore_state(state)
        actor.scene.step(1 / 30)
        self.assertEqual(bytes(actor.positions()), expected)
        with self.assertRaisesRegex(ValueError, 'another flesh'):
            actor.restore_state(b'x')

    def test_a_floor_holds(self):
        lowest = {}
        for floor in (False, True):
            scene = supple.Scene(substeps=2)
            actor = scene.add(supple.Flesh(make_column()))
            if floor:
                scene.add_collider('plane', position=(0, 0.3, 0))
            for frame in range(20):
                scene.step(1 / 30)
            # the upper half is all soft enough to be pushed; bones hold the middle
            lowest[floor] = min(p[1] for p in actor.positions().tolist())
        self.assertGreater(lowest[True], lowest[False] + 0.05)
        with self.assertRaisesRegex(ValueError, 'kind'):
            supple.Scene().add_collider('cone')

    def test_live_parameters(self):
        actor = play(frames=1)
        actor.set('frequency', 2.0)
        with self.assertRaisesRegex(ValueError, 'expected'):
            actor.set('frequency', -5)


class Bakes(unittest.TestCase):
    def test_bones_reproduce_what_moves_rigidly(self):
        rest = [(x, y, 0.0) for x in range(6) for y in range(3)]
        frames = [[(x, y + (0.5 * f if x >= 3 else 0.0), 0.0) for x, y, _ in rest] for f in range(5)]
        bones = supple.fit_bones(rest, [], frames, helpers=2, influences=1)
        self.assertEqual(bones.helper_count, 2)
        self.assertLess(bones.worst, 1e-4)

    def test_an_exception_in_a_callback_comes_back(self):
        def stop(_):
            raise KeyboardInterrupt
        rest = [(x, y, 0.0) for x in range(6) for y in range(3)]
        with self.assertRaises(KeyboardInterrupt):
            supple.fit_bones(rest, [], [rest, rest], progress=stop)

    @unittest.skipUnless(os.environ.get('SUPPLE'), 'SUPPLE does not name the command line')
    def test_a_bake_is_the_command_lines(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            run = [os.environ['SUPPLE']]
            subprocess.run(run + ['models', 'tube', '--export', str(folder), '--quiet'], check=True)
            subprocess.run(run + ['bake', str(folder / 'tube.glb'), '--fps', '24', '--preset', 'standard', '--quiet', '-o',
                                  str(folder / 'theirs.pc2')], check=True)
            example = [sys.executable, str(ROOT / 'python/examples/bake.py'), str(folder / 'tube.glb')]
            environment = dict(os.environ, PYTHONPATH=str(ROOT / 'python'))
            for out in ('ours.pc2', 'ours.glb'):
                subprocess.run(example + [str(folder / out)], check=True, env=environment, stderr=subprocess.DEVNULL)
            self.assertEqual((folder / 'ours.pc2').read_bytes(), (folder / 'theirs.pc2').read_bytes())
            soften = subprocess.run([sys.executable, str(ROOT / 'python/examples/soften.py'), str(folder / 'tube.glb')],
                                    check=True, env=environment, stdout=subprocess.PIPE, text=True).stdout
            self.assertRegex(soften, r'flesh moves up to \d')
            self.assertEqual(sorted(p.suffix for p in folder.iterdir()), ['.glb', '.glb', '.pc2', '.pc2'])

    def test_the_example_with_arrays(self):
        environment = dict(os.environ, PYTHONPATH=str(ROOT / 'python'))
        out = subprocess.run([sys.executable, str(ROOT / 'python/examples/tube.py')], check=True, env=environment,
                             stdout=subprocess.PIPE, text=True).stdout
        self.assertRegex(out, r'^the rim of the tip is at \(-1\.\d\d, 1\.\d\d')


class Packages(unittest.TestCase):
    def test_wheel_and_sdist(self):
        with tempfile.TemporaryDirectory() as folder:
            out = subprocess.run([sys.executable, str(ROOT / 'python/backend.py'), folder], check=True,
                                 stdout=subprocess.PIPE, text=True).stdout.split()
            wheel = zipfile.ZipFile(out[0])
            names = set(wheel.namelist())
            self.assertTrue({'supple/__init__.py', 'supple/py.typed'} <= names)
            self.assertTrue(any(name.startswith('supple/lib/libsupple.so') for name in names), names)
            self.assertIn('py3-none-linux', out[0])
            # as installed: no source tree, no SUPPLE_LIBRARY
            wheel.extractall(folder + '/site')
            environment = {key: value for key, value in os.environ.items() if key != 'SUPPLE_LIBRARY'}
            environment['PYTHONPATH'] = folder + '/site'
            code = 'import supple; print(supple.__file__, len(supple.methods()))'
            found = subprocess.run([sys.executable, '-c', code], check=True, env=environment, cwd=folder,
                                   stdout=subprocess.PIPE, text=True).stdout
            self.assertTrue(found.startswith(folder) and found.rstrip().endswith(' %d' % len(supple.methods())), found)


if __name__ == '__main__':
    unittest.main()

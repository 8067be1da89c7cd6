import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Installs exactly this version into a folder of its own, once; its scripts do not run. */
export function install({ folder, name, package: wanted, version, node }) {
  const nodeFolder = node === undefined ? dirnameOfNode() : installNode(folder, node);
  const place = join(folder, name);
  add(place, wanted, version, nodeFolder);
  return { place, node: nodeFolder, bin: (tool) => join(place, 'node_modules', '.bin', tool) };
}

const dirnameOfNode = () => join(process.execPath, '..');

function installNode(folder, major) {
  const wanted = `node-${process.platform}-${process.arch}`;
  const place = join(folder, `node${major}`);
  add(place, wanted, major, dirnameOfNode());
  return join(place, 'node_modules', wanted, 'bin');
}

export function add(place, wanted, version, nodeFolder) {
  const manifest = join(place, 'node_modules', wanted, 'package.json');
  if (existsSync(manifest)) {
    const found = JSON.parse(readFileSync(manifest, 'utf8')).version;
    if (found === version || found.startsWith(`${version}.`)) return;
  }
  mkdirSync(place, { recursive: true });
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--save-exact', '--loglevel=error'];
  execFileSync('npm', ['install', '--prefix', place, ...flags, `${wanted}@${version}`], {
    stdio: 'inherit',
    env: { ...process.env, PATH: `${nodeFolder}:${process.env.PATH}` },
  });
}

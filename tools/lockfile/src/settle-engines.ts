import { satisfies } from 'semver';

interface LockedPackage {
  readonly version?: string;
  readonly engines?: Readonly<Record<string, string>> | readonly string[];
}

/** The part of package-lock.json that names every package by its folder. */
export interface Lockfile {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

/** The project brings its own Node as a package. */
const NODE = 'node_modules/node';

/**
 * Returns the lock file without the demands on Node that the project's own Node meets. npm compares them with the Node that
 * runs npm, which never runs the packages, and warns about each. Demands that the project's Node does not meet stay, and
 * are warned about.
 * @throws Error when the lock file names no Node
 */
export function settleEngines<Lock extends Lockfile>(lock: Lock): Lock {
  const node = lock.packages[NODE]?.version;
  if (node === undefined) throw new Error(`The lock file has no ${NODE}.`);
  const packages = Object.entries(lock.packages).map(([folder, locked]) => [
    folder,
    /(?:^|\/)node_modules\//.test(folder) ? settle(locked, node) : locked,
  ]);
  return { ...lock, packages: Object.fromEntries(packages) };
}

function settle(locked: LockedPackage, node: string): LockedPackage {
  const { engines, ...rest } = locked;
  // A list is an old form that npm does not compare.
  if (engines === undefined || Array.isArray(engines)) return locked;
  const { node: wanted, ...others } = engines as Readonly<Record<string, string>>; // the line before excludes the list
  if (wanted === undefined || !satisfies(node, wanted, { includePrerelease: true })) return locked;
  return Object.keys(others).length > 0 ? { ...locked, engines: others } : rest;
}

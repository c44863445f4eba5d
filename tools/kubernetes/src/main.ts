// Writes deploy/kubernetes.
import { writeFile } from 'node:fs/promises';
import { manifests } from './manifests.ts';
import { kustomization, toYaml } from './to-yaml.ts';

const folder = new URL('../../../deploy/kubernetes/', import.meta.url);
const files = manifests();
for (const [name, objects] of files) await writeFile(new URL(name, folder), toYaml(objects));
await writeFile(new URL('kustomization.yaml', folder), kustomization([...files.keys()]));

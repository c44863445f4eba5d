import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { SERVICES } from '@billing/contracts/operation';
import { createSecrets } from '@billing/local-system/secrets';
import { runs } from '@billing/testing/runs';
import type { ConfigMap } from 'kubernetes-models/v1/ConfigMap';
import { describe, expect, it } from 'vitest';
import { manifests } from '../src/manifests.ts';
import { secretOf } from '../src/names.ts';
import { secretObjects } from '../src/secrets.ts';
import { kustomization, toYaml } from '../src/to-yaml.ts';

const ROOT = join(import.meta.dirname, '../../..');
const folder = join(ROOT, 'deploy/kubernetes');
const files = manifests();
const objects = [...files.values()].flat();
const secrets = secretObjects(createSecrets(), {
  // Nothing listens there.
  adminDatabaseUrl: 'postgres://postgres:secret@127.0.0.1:1/billing',
  adminNatsUrl: 'nats://admin:secret@127.0.0.1:1',
});

describe('deploy/kubernetes', () => {
  it('matches the declarations; after a change of them run `npm run docs`', async () => {
    const written = (await readdir(folder)).filter(name => name.endsWith('.yaml'));
    expect(written.toSorted()).toEqual([...files.keys(), 'kustomization.yaml'].toSorted());
    for (const [name, ofFile] of files) expect(await readFile(join(folder, name), 'utf8')).toBe(toYaml(ofFile));
    expect(await readFile(join(folder, 'kustomization.yaml'), 'utf8')).toBe(kustomization([...files.keys()]));
  });

  it('has objects that fit the schemas of Kubernetes, and no two of one name', () => {
    for (const object of [...objects, ...secrets]) expect(() => object.validate()).not.toThrow();
    const names = objects.map(object => {
      const { kind, metadata } = object.toJSON() as { kind: string; metadata: { name: string } }; // every object has both
      return `${kind} ${metadata.name}`;
    });
    expect(new Set(names).size).toBe(names.length);
  });

  it('fails the schemas when a field is wrong', () => {
    const [deployment] = files.get('catalog.yaml') ?? [];
    const changed = Object.assign(Object.create(Object.getPrototypeOf(deployment)), deployment, {
      spec: { replicas: 'two' },
    });
    expect(() => changed.validate()).toThrow('replicas');
  });

  it('refers to every Secret that is made, and to no other', () => {
    const text = [...files].map(([, ofFile]) => toYaml(ofFile)).join('---\n');
    const referred = Array.from(text.matchAll(/secretRef:\n\s+name: (\S+)/g), ([, name]) => name);
    const made = secrets.map(({ metadata }) => metadata?.name);
    expect(new Set(referred)).toEqual(new Set(made));
    expect(text).not.toMatch(/kind: Secret\b/);
  });

  it.each(SERVICES.slice(0, runs(SERVICES.length)))('gives %s every variable that it needs to start', async service => {
    const [settings] = files.get('settings.yaml') ?? [];
    const { data } = settings as ConfigMap; // the only object of this file
    const secret = secrets.find(({ metadata }) => metadata?.name === secretOf(service));
    const { PATH, NODE_COMPILE_CACHE } = process.env;
    const main = join(ROOT, 'services', service, 'src/main.ts');
    const env = { PATH, NODE_COMPILE_CACHE, ...data, ...secret?.stringData, OTEL_METRICS_EXPORTER: 'none' };
    const started = promisify(execFile)(process.execPath, [main], { env });
    await expect(started).rejects.toMatchObject({
      stderr: expect.stringContaining(`Cannot use PostgreSQL at 127.0.0.1:1/billing as billing_${service}`),
    });
  });
});

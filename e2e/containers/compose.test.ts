import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { waitFor } from '@billing/testing/wait-for';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findFreePort } from '@billing/embedded-servers/free-port';
import { runReadmeSession } from '../system/readme-session.ts';
import { findCompose, openProject, type ComposeProject } from './compose.ts';

const ROOT = join(import.meta.dirname, '../..');
const COPIES = { subscriptions: 3, webhooks: 2, gateway: 2 };
/** Programs that run once. */
const ONCE = ['provision'];

const run = promisify(execFile);
const command = findCompose();
if (!command) console.warn('No container engine answers: the tests of containers are skipped. Start Docker or podman.');

describe.skipIf(!command)('docker-compose.yml', () => {
  let folder: string;
  let project: ComposeProject;
  let secrets: readonly string[];
  let gatewayUrl: string;
  let processorUrl: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'billing-compose-'));
    const { stdout } = await run(process.execPath, [join(ROOT, 'tools/local-system/src/compose/write-env.ts')]);
    const [gatewayPort, processorPort] = [await findFreePort(), await findFreePort()];
    gatewayUrl = `http://localhost:${gatewayPort}`;
    processorUrl = `http://localhost:${processorPort}`;
    const envFile = join(folder, '.env');
    await writeFile(envFile, `${stdout}GATEWAY_PORT=${gatewayPort}\nPROCESSOR_PORT=${processorPort}\n`);
    secrets = stdout.split('\n').flatMap(line => /^\w*(?:PASSWORD|SECRET|KEY)=(.{16,})$/.exec(line)?.[1] ?? []);
    project = openProject(command ?? [], `billing-test-${gatewayPort}`, envFile);
    // An engine inside of a container may need another command than the usual one.
    const build = process.env['CONTAINERS_BUILD'];
    await (build === undefined ? project.compose('build') : run('sh', ['-c', build], { cwd: ROOT }));
    await project.compose('up', '--detach', '--no-build', '--wait');
  });
  afterAll(async () => {
    await project.compose('down', '--volumes', '--timeout', '20');
    await rm(folder, { recursive: true, force: true });
  });

  it('runs the session of the README as printed', async () => {
    expect(await runReadmeSession(gatewayUrl)).toContain(`${gatewayUrl}/portal/`);
  });

  it('runs the demo', async () => {
    const env = {
      ...process.env,
      GATEWAY_URL: gatewayUrl,
      PROCESSOR_URL: processorUrl,
      DEMO_STATE_FILE: join(folder, 'demo.json'),
    };
    const { stdout } = await run(process.execPath, [join(ROOT, 'tools/demo/src/main.ts')], { env });
    expect(JSON.parse(stdout)).toHaveProperty('portalUrl');
  });

  it('gives each container a read-only root, no capabilities beyond the declared, and bounds', async () => {
    const containers = await project.inspect();
    expect(containers.length).toBeGreaterThan(12);
    for (const { Name: name, HostConfig: host } of containers) {
      const isBound = host.Memory > 0 && host.PidsLimit > 0;
      expect({ name, isReadOnly: host.ReadonlyRootfs, isBound }).toEqual({ name, isReadOnly: true, isBound: true });
      expect(host.CapDrop?.length, name).toBeGreaterThan(0);
      expect(name.includes('postgres') ? [] : (host.CapAdd ?? []), name).toEqual([]);
    }
  });

  it('lets the processor reach neither PostgreSQL nor NATS', async () => {
    const names = ['postgres', 'nats', 'gateway'].map(host => `${host}: require('dns').promises.lookup('${host}')`);
    const script = `const all = {${names.join()}}; for (const [name, it] of Object.entries(all)) it.then(() => console.log(name), () => {})`;
    expect(await project.compose('exec', '-T', 'processor', 'node', '-e', script)).toBe('gateway\n');
  });

  it('puts no secret into the image', async () => {
    expect(secrets.length).toBeGreaterThan(15);
    const [image] = (await project.compose('config', '--images')).split('\n').filter(name => name.includes('billing'));
    const { stdout } = await run('docker', ['image', 'inspect', String(image)]);
    expect(secrets.filter(secret => stdout.includes(secret))).toEqual([]);
  });

  it('runs several copies of services, and the session of the README with them', async () => {
    const scale = Object.entries(COPIES).flatMap(([service, copies]) => ['--scale', `${service}=${copies}`]);
    await project.compose('up', '--detach', '--no-build', '--wait', ...scale);
    const running = (await project.inspect()).filter(({ State }) => State.Status === 'running');
    for (const [service, copies] of Object.entries(COPIES))
      expect(running.filter(({ Name }) => new RegExp(`-${service}-\\d+$`).test(Name))).toHaveLength(copies);
    await runReadmeSession(gatewayUrl);

    const isServed = async () => (await fetch(`${gatewayUrl}/health/ready`)).ok;
    await project.compose('up', '--detach', '--no-build', '--wait', '--scale', 'gateway=1');
    await waitFor(isServed, { what: 'the remaining gateway to be found' });
    await runReadmeSession(gatewayUrl);
  });

  it('stops each service by SIGTERM, with exit code 0', async () => {
    await project.compose('stop');
    for (const { Name: name, State } of await project.inspect()) {
      if (
        ONCE.some(once => name.includes(once)) ||
        !/-(?:gateway|catalog|customers|subscriptions|webhooks)-/.test(name)
      )
        continue;
      expect({ name, exitCode: State.ExitCode }).toEqual({ name, exitCode: 0 });
    }
  });
});

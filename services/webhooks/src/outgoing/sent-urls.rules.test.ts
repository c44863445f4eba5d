import { describe, expect, it } from 'vitest';
import {
  isAllowedAddress,
  parseAllowedTargets,
  refusalOf,
  refusalOfAddresses,
  type AllowedTargets,
} from './sent-urls.rules.ts';

const PUBLIC_ONLY: AllowedTargets = { targets: [], ownPorts: new Set([5_432]) };
const opened = (text: string): AllowedTargets => ({ ...PUBLIC_ONLY, targets: parseAllowedTargets(text) });
const refusal = (url: string, allowed = PUBLIC_ONLY) => refusalOf(new URL(url), allowed);

describe('the public internet', () => {
  it.each([
    'https://hooks.example',
    'https://hooks.example:8443/a?b=c',
    'https://hooks.example:443',
    'https://8.8.8.8/',
  ])('takes %s', url => expect(refusal(url)).toBeNull());

  it.each([
    ['http://hooks.example', 'not_https'],
    ['ftp://hooks.example', 'not_https'],
    ['https://hooks.example:22', 'port'],
    ['https://hooks.example:80', 'port'],
    ['https://me@hooks.example', 'user_info'],
    ['https://:secret@hooks.example', 'user_info'],
    [`https://hooks.example/${'a'.repeat(2_048)}`, 'too_long'],
  ])('refuses %s', (url, reason) => expect(refusal(url)).toBe(reason));

  it.each(
    'https://127.0.0.1 https://127.1 https://0x7f.1 https://2130706433 https://017700000001 https://[::1] https://[::ffff:127.0.0.1] https://[::ffff:7f00:1] https://10.1.2.3 https://[fe80::1] https://169.254.169.254 https://①②⑦.0.0.1 https://[64:ff9b::a00:1] https://0 https://127。0。0。1'.split(
      ' ',
    ),
  )('refuses %s in every spelling', url => expect(refusal(url)).toBe('address_not_allowed'));
});

describe('what the operator opens', () => {
  it('takes http and any port in an opened network, and on an opened host', () => {
    const allowed = opened('10.0.0.0/8, hooks.internal, [fd00::]/8:9000');
    expect(refusal('http://10.1.2.3:80/hook', allowed)).toBeNull();
    expect(refusal('http://hooks.internal', allowed)).toBeNull();
    expect(refusal('http://[fd12::1]:9000', allowed)).toBeNull();
    expect(refusal('http://[fd12::1]:9001', allowed)).toBe('address_not_allowed');
    expect(refusal('https://192.168.0.1', allowed)).toBe('address_not_allowed');
    expect(refusal('http://others.internal', opened('hooks.internal'))).toBe('not_https');
    expect(refusal('ftp://10.1.2.3', allowed)).toBe('address_not_allowed');
  });

  it('never takes credentials in a URL', () => {
    expect(refusal('http://me@10.1.2.3', opened('10.0.0.0/8'))).toBe('user_info');
  });

  it('opens link-local addresses and ports of this installation by host and port only', () => {
    const everything = '127.0.0.0/8,169.254.0.0/16,localhost';
    const metadata = 'http://169.254.169.254:80/';
    const database = 'http://127.0.0.2:5432/';
    for (const url of [metadata, database]) expect(refusal(url, opened(everything))).toBe('address_not_allowed');
    expect(refusal(metadata, opened('169.254.169.254:80'))).toBeNull();
    expect(refusal(database, opened('127.0.0.2:5432'))).toBeNull();
    expect(isAllowedAddress(new URL('http://localhost:5432'), '127.0.0.1', opened(everything))).toBe(false);
    expect(isAllowedAddress(new URL('http://localhost:5432'), '::1', opened('localhost:5432'))).toBe(true);
    expect(isAllowedAddress(new URL('http://localhost:3000'), '127.0.0.1', opened(everything))).toBe(true);
    expect(refusal('http://0.0.0.0:5432', opened('0.0.0.0/0'))).toBe('address_not_allowed');
    expect(refusal('http://[::ffff:127.0.0.1]:5432', opened('127.0.0.0/8'))).toBe('address_not_allowed');
    expect(refusal('http://10.0.0.1:5432', opened('10.0.0.0/8'))).toBe('address_not_allowed');
  });

  it('judges a name by where it leads, when a network is opened', () => {
    const allowed = opened('10.0.0.0/8');
    const reasonFor = (url: string, ...addresses: string[]) =>
      refusal(url, allowed) ?? refusalOfAddresses(new URL(url), addresses, allowed);
    expect(reasonFor('http://hooks.corp', '10.0.0.1')).toBeNull();
    expect(reasonFor('http://hooks.corp', '192.168.0.1')).toBe('address_not_allowed');
    expect(reasonFor('http://hooks.example', '8.8.8.8')).toBe('not_https');
    expect(reasonFor('https://hooks.example:22', '8.8.8.8')).toBe('port');
    expect(reasonFor('https://hooks.example', '192.168.0.1', '8.8.8.8')).toBeNull();
    expect(reasonFor('http://hooks.example')).toBe('not_https');
    expect(reasonFor('https://hooks.example')).toBeNull();
    for (const url of ['http://hooks.example', 'https://hooks.example:22'])
      expect(isAllowedAddress(new URL(url), '8.8.8.8', allowed)).toBe(false);
  });

  it('sends to a name only where every opened or public address allows it', () => {
    const url = new URL('https://hooks.example');
    expect(isAllowedAddress(url, '8.8.8.8', PUBLIC_ONLY)).toBe(true);
    expect(isAllowedAddress(url, '10.0.0.1', PUBLIC_ONLY)).toBe(false);
    expect(isAllowedAddress(url, '10.0.0.1', opened('10.0.0.0/8'))).toBe(true);
    expect(isAllowedAddress(new URL('http://hooks.internal'), '8.8.8.8', opened('other.internal'))).toBe(false);
  });
});

it.each(['10.0.0.0/8/9', '10.0.0.0/33', 'http://x', 'a b', '[::1', 'host:99999999', 'host/8', '*'])(
  'names an entry that is neither network nor host: %j',
  entry => expect(() => parseAllowedTargets(`10.0.0.0/8,${entry}`)).toThrow(/neither a network/),
);

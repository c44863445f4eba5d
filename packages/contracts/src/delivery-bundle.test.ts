import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decodeBundle, encodeBundle } from './delivery-bundle.ts';

const text = fc.string({ unit: 'grapheme' });
const delivery = fc.record({
  teamId: text,
  signature: text,
  requestId: text,
  trace: fc.dictionary(fc.constantFrom('traceparent', 'tracestate'), text),
  body: fc.uint8Array({ maxLength: 200 }).map(bytes => Buffer.from(bytes)),
});

it('decodes to the deliveries that were encoded, byte for byte', () => {
  fc.assert(
    fc.property(fc.array(delivery), deliveries => {
      expect(decodeBundle(encodeBundle(deliveries))).toEqual(deliveries);
    }),
  );
});

it('rejects a bundle that is truncated or has trailing bytes', () => {
  const whole = encodeBundle([{ teamId: 'team_x', requestId: 'r', trace: {}, body: Buffer.from('{"id":"evt_1"}') }]);
  for (let length = 0; length < whole.length; length += 1)
    expect(() => decodeBundle(whole.subarray(0, length))).toThrow(/incomplete|JSON|Invalid/);
  expect(() => decodeBundle(Buffer.concat([whole, Buffer.from('x')]))).toThrow('incomplete');
});

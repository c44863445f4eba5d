import { expect, it } from 'vitest';
import { changedMetadata, metadataOf } from './metadata-fields.tsx';

function fieldsOf(...pairs: readonly (readonly [string, string])[]): FormData {
  const fields = new FormData();
  for (const [key, value] of pairs) {
    fields.append('metadataKey', key);
    fields.append('metadataValue', value);
  }
  return fields;
}

it('reads keys without spaces around them, values as they are, and no empty rows', () => {
  expect(metadataOf(fieldsOf([' tier ', ' pro '], ['', ''], ['note', '']))).toEqual({ tier: ' pro ', note: '' });
});

it('refuses a value without a key, and a key that is there twice', () => {
  expect(() => metadataOf(fieldsOf(['', 'pro']))).toThrow('A metadata value needs a key.');
  expect(() => metadataOf(fieldsOf(['a', '1'], ['a ', '2']))).toThrow('The metadata key “a” is there twice.');
});

it('sends only what was changed', () => {
  expect(changedMetadata(fieldsOf(['b', '2'], ['a', '1']), { a: '1', b: '2' })).toBeUndefined();
  expect(changedMetadata(fieldsOf(['a', '1']), { a: '1', b: '2' })).toEqual({ a: '1' });
  expect(changedMetadata(fieldsOf(['a', '2']), { a: '1' })).toEqual({ a: '2' });
  expect(changedMetadata(fieldsOf(), {})).toBeUndefined();
});

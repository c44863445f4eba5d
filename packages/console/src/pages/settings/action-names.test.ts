import { expect, it } from 'vitest';
import { actionOf, sentenceOf } from './action-names.ts';

it('names an operation in words', () => {
  expect(sentenceOf('createApiKey')).toBe('Create API key');
  expect(sentenceOf('inviteMember')).toBe('Invite member');
  expect(sentenceOf('auth.changePassword')).toBe('Account: change password');
});

it('finds an event of an account', () => {
  expect(['Account: change password', 'account: changePassword', 'auth.changePassword'].map(actionOf)).toEqual(
    Array(3).fill('auth.changePassword'),
  );
});

it.each(['Create API key', 'create api key', 'createApiKey', 'CreateApiKey'])('finds an operation by %j', text => {
  expect(actionOf(text)).toBe('createApiKey');
});

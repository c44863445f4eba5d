onSubmit('form', async ({ password }) => {
  if (!(await send('/api/auth/verify-email', { password, token }))) return;
  show('done');
  status.textContent = 'Your address is confirmed, and you are signed in.';
});

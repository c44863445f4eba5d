onSubmit('form', async ({ newPassword }) => {
  const reset = await send('/api/auth/reset-password', { newPassword, token });
  if (!reset) return;
  show('done');
  status.textContent = 'Your password is changed, and all your sessions have ended. Sign in with the new one.';
});

async function showUser() {
  const response = await fetch('/api/auth/get-session');
  const session = response.ok ? await response.json() : null;
  if (session) document.querySelector('#user').textContent = session.user.email;
  show(session ? 'accept' : 'sign-in');
}

onSubmit('#sign-in form', async credentials => {
  const signedIn = await send('/api/auth/sign-in/email', credentials);
  if (signedIn?.twoFactorRedirect) show('code');
  else if (signedIn) await showUser();
});
onSubmit('#sign-up', async account => {
  const signedUp = await send('/api/auth/sign-up/email', account);
  if (signedUp?.token) await showUser();
  else if (signedUp) show('confirm');
});
onSubmit('#code form', async ({ code }) => {
  const kind = /^\d{6}$/.test(code) ? 'totp' : 'backup-code';
  if (await send(`/api/auth/two-factor/verify-${kind}`, { code })) await showUser();
});
onSubmit('#sign-out', async () => {
  if (await send('/api/auth/sign-out')) show('sign-in');
});
onSubmit('#accept form', async () => {
  const accepted = await send(`/api/service/invitations/${encodeURIComponent(token)}/accept`);
  if (!accepted) return;
  show('done');
  document.querySelector('#done a').href = `/teams/${accepted.team.id}`;
  status.textContent = `You are a member of ${accepted.team.name}.`;
});

function showTitle(title) {
  document.title = title;
  document.querySelector('h1').textContent = title;
}

function showInvalid() {
  showTitle('This invitation is no longer valid');
  show('invalid');
}

/** Says who invites to which team; names are people's own texts, and shown as such. */
async function showInvitation() {
  const isInvalid = ({ code }) => code === 'invitation_not_found' || code === 'validation_error';
  const described = await send('/accept-invitation', { token }, error =>
    isInvalid(error) ? showInvalid() : showError(error),
  );
  if (!described) return;
  const { teamName, inviter, email, role } = described.invitation;
  const name = teamName.replaceAll(/\s+/g, ' ');
  showTitle(`Join ${name}`);
  const from = inviter ? `${inviter.name} (${inviter.email}) invites you` : 'You are invited';
  document.querySelector('#from').textContent = `${from} as ${role === 'owner' ? 'an owner' : 'a member'} of the team.`;
  for (const field of document.querySelectorAll('[name=email]')) field.value = email;
  await showUser();
}
void showInvitation();

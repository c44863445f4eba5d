/** Returns a message without the keys that it quotes, as messages of Stripe and its library may. */
export const withoutKeys = (message: string): string =>
  message.replaceAll(/\b(sk|rk|pk|whsec)_[A-Za-z0-9_*]+/g, '$1_…');

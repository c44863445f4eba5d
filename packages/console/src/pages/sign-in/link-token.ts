/** Returns the token of the secret link that opened the page. A link made by an earlier version has it behind a #. */
export const linkToken = (): string => new URLSearchParams(location.search).get('token') ?? location.hash.slice(1);

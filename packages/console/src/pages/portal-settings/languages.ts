import type { PortalConfig } from '@billing/client';

/** The languages of the portal. */
export const LANGUAGES: Readonly<Record<PortalConfig['defaultLanguage'], string>> = {
  en: 'English',
  de: 'German',
  fr: 'French',
  es: 'Spanish',
  it: 'Italian',
  nl: 'Dutch',
  pl: 'Polish',
  'pt-BR': 'Portuguese (Brazil)',
  sv: 'Swedish',
  ja: 'Japanese',
};

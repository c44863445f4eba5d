import { de } from './de.ts';
import { en, type Messages } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';
import { it } from './it.ts';
import { ja } from './ja.ts';
import { nl } from './nl.ts';
import { pl } from './pl.ts';
import { ptBR } from './pt-br.ts';
import { sv } from './sv.ts';
import type { PortalLanguage } from '@billing/contracts/resources/portal-session';

/** The texts of every language of the portal. */
export const MESSAGES: Readonly<Record<PortalLanguage, Messages>> = {
  en,
  de,
  fr,
  es,
  it,
  nl,
  pl,
  'pt-BR': ptBR,
  sv,
  ja,
};

import type { PortalLanguage } from '@billing/contracts/resources/portal-session';
import de from './de.json' with { type: 'json' };
import en from './en.json' with { type: 'json' };
import es from './es.json' with { type: 'json' };
import fr from './fr.json' with { type: 'json' };
import it from './it.json' with { type: 'json' };
import ja from './ja.json' with { type: 'json' };
import nl from './nl.json' with { type: 'json' };
import pl from './pl.json' with { type: 'json' };
import ptBR from './pt-br.json' with { type: 'json' };
import sv from './sv.json' with { type: 'json' };

export type MessageKey = keyof typeof en;

/**
 * Every text of the portal, in ICU message format: the texts of English, with the same arguments, in every language.
 * `<hidden>` is read to those who cannot see the page; it names what a short label is about.
 */
export const MESSAGES: Readonly<Record<PortalLanguage, Readonly<Record<MessageKey, string>>>> = {
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

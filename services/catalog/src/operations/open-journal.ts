import type { EntityManager } from '@mikro-orm/postgresql';
import type { TeamProcessors } from '@billing/processor/team-processors';
import type { Logger } from 'pino';
import { openJournal, type Journal } from '@billing/processor/journal/write-journal';
import { createPriceWrite } from './create-price.ts';
import { createProductWrite } from './create-product.ts';
import { deletePriceWrite } from './delete-price.ts';
import { deleteProductWrite } from './delete-product.ts';
import { updatePriceWrite } from './update-price.ts';
import { updateProductWrite } from './update-product.ts';

interface CatalogJournalOptions {
  readonly em: EntityManager;
  readonly processors: TeamProcessors;
  readonly logger: Logger;
}

/** The journal of every kind of write this service makes at the processor. */
export function openCatalogJournal(options: CatalogJournalOptions): Journal {
  const products = [createProductWrite, updateProductWrite, deleteProductWrite];
  const prices = [createPriceWrite, updatePriceWrite, deletePriceWrite];
  return openJournal({ ...options, kinds: [...products, ...prices] });
}

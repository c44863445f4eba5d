import type { EntityManager, TransactionEventArgs } from '@mikro-orm/postgresql';

/** Returns a function with which a transaction says what is to run once it has committed. */
export function openAfterCommit(em: EntityManager): (tx: EntityManager, run: () => void) => void {
  const waiting = new WeakMap<object, () => void>();
  em.getEventManager().registerSubscriber({
    afterTransactionCommit({ transaction }: TransactionEventArgs) {
      if (transaction) waiting.get(transaction)?.();
    },
  });
  return (tx, run) => {
    const transaction = tx.getTransactionContext();
    if (transaction) waiting.set(transaction, run);
  };
}

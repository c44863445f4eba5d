import type { ProjectScope, TestClockId } from '@billing/contracts/ids';
import { sameMetadata, withoutEmpty } from '@billing/processor/metadata';
import { findOwner } from '#persistence/customer-identifiers.ts';
import { Customer, type LinkedCustomer } from '#persistence/customer.entity.ts';
import { customers } from '#persistence/find-customer.ts';
import type { Dependencies } from '../dependencies.ts';

interface WantedCustomer {
  readonly email: string;
  readonly name?: string | undefined;
  readonly externalId?: string | undefined;
  readonly metadata: Readonly<Record<string, string>>;
  readonly testClockId?: TestClockId | undefined;
}

/**
 * Finishes the creation that reserved an e-mail, if it was left behind. Returns its customer if it is exactly what is
 * wanted now, as when a caller tries again after a response that never came; otherwise null.
 * @throws Problem `unavailable` when it still can't be finished
 */
export function finishSameRequest({ em, operationLog }: Pick<Dependencies, 'em' | 'operationLog'>) {
  return async (
    scope: ProjectScope,
    { email, name = '', externalId = '', metadata, testClockId }: WantedCustomer,
  ): Promise<LinkedCustomer | null> => {
    const { teamId, projectId } = scope;
    const id = await findOwner(em.fork(), scope, { kind: 'email', value: email });
    const reserved = id && (await em.fork().findOne(Customer, { id, teamId, projectId, processorId: null }));
    if (!reserved || !(await operationLog.resume(reserved.id))) return null;
    const isNamedSame = (reserved.name ?? '') === name && (reserved.externalId ?? '') === externalId;
    const isSame =
      isNamedSame &&
      (reserved.testClockId ?? undefined) === testClockId &&
      sameMetadata(reserved.metadata, withoutEmpty(metadata));
    return isSame ? customers.find(em.fork(), scope, reserved.id) : null;
  };
}

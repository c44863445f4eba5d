import type { CustomerId, ProjectScope } from '@billing/contracts/ids';
import { ON_FAILURE, type OnFailure } from '@billing/contracts/resources/invoice-create';

/** Returns the metadata of what an operation makes: they route its events, and find it when it is not known whether it was made. */
export const marksOf = (
  { teamId, projectId }: ProjectScope,
  customerId: CustomerId,
  operationId: string,
): Record<string, string> => ({ teamId, projectId, customerId, ...madeBy(operationId) });

/** Returns the metadata that only what this operation made has. */
export const madeBy = (operationId: string): Record<string, string> => ({ invoiceOperationId: operationId });

/** Returns what becomes of an invoice when its payment fails, in its metadata: a draft is charged much later. */
export const markOfFailure = (onFailure: OnFailure): Record<string, string> => ({ invoiceOnFailure: onFailure });

/** Returns what its metadata say of that; an invoice that was not made here is kept. */
export const onFailureOf = ({ metadata }: { readonly metadata: Readonly<Record<string, string>> }): OnFailure =>
  ON_FAILURE.find(it => it === metadata['invoiceOnFailure']) ?? 'keep';

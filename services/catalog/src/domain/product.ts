import type { ProductState } from '@billing/contracts/events/catalog';
import type { ProductId, ProjectId } from '@billing/contracts/ids';
import type { ProductSnapshot } from '@billing/processor/port';
import { replacement, sameMetadata, withoutEmpty, withoutRouting } from '@billing/processor/metadata';

/** The fields of a product that we and the processor both store. */
export interface ProductContent {
  readonly name: string;
  readonly description: string | null;
  readonly isActive: boolean;
  /** Without routing keys. */
  readonly metadata: Record<string, string>;
}

/** What a caller may change; an empty description removes it, metadata is replaced. */
export interface ProductChanges {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly isActive?: boolean | undefined;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

/** Returns the processor's product as we store it. */
export function toContent({ name, description, isActive, metadata }: ProductSnapshot): ProductContent {
  return { name, description: description || null, isActive, metadata: withoutRouting(metadata) };
}

/** Returns whether two contents are equal. */
export function isSameContent(one: ProductContent, other: ProductContent): boolean {
  return (
    one.name === other.name &&
    one.description === other.description &&
    one.isActive === other.isActive &&
    sameMetadata(one.metadata, other.metadata)
  );
}

/** Returns a caller's changes as they are sent to the processor. */
export function toProcessorChanges(current: ProductContent, { metadata, ...changes }: ProductChanges): ProductChanges {
  return metadata ? { ...changes, metadata: replacement(current.metadata, withoutEmpty(metadata)) } : changes;
}

interface ProductRecord {
  readonly id: ProductId;
  readonly projectId: ProjectId;
  readonly name: string;
  readonly isActive: boolean;
  readonly processorProductId: string;
  readonly version: number;
  readonly createdAt: Date;
  readonly deletedAt: Date | null;
}

/** Returns a product as events and RPC replies carry it. */
export function toState(product: ProductRecord): ProductState {
  const { id, projectId, name, isActive, processorProductId, version, createdAt, deletedAt } = product;
  return { id, projectId, name, isActive, processorProductId, version, createdAt, deletedAt };
}

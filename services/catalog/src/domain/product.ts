import type { ProductState } from '@billing/contracts/events/catalog';
import type { ProductId, ProjectId } from '@billing/contracts/ids';
import type { ProductSnapshot } from '@billing/processor/port';
import { replacement, sameMetadata, withoutEmpty, withoutRouting } from '@billing/processor/metadata';

/** What we and the processor both hold of a product. */
export interface ProductContent {
  readonly name: string;
  readonly description: string | null;
  readonly isActive: boolean;
  /** Without routing keys. */
  readonly metadata: Record<string, string>;
}

/** What a caller may change; an empty description removes it, metadata replaces what there was. */
export interface ProductChanges {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly isActive?: boolean | undefined;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

/** The processor's product as we keep it. */
export function contentOf({ name, description, isActive, metadata }: ProductSnapshot): ProductContent {
  return { name, description: description || null, isActive, metadata: withoutRouting(metadata) };
}

/** Whether two tell the same. */
export function isSameContent(one: ProductContent, other: ProductContent): boolean {
  return (
    one.name === other.name &&
    one.description === other.description &&
    one.isActive === other.isActive &&
    sameMetadata(one.metadata, other.metadata)
  );
}

/** A caller's changes as the processor is to be told them. */
export function changesAtProcessor(current: ProductContent, { metadata, ...changes }: ProductChanges): ProductChanges {
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

/** A product as the other services are told of it. */
export function stateOf(product: ProductRecord): ProductState {
  const { id, projectId, name, isActive, processorProductId, version, createdAt, deletedAt } = product;
  return { id, projectId, name, isActive, processorProductId, version, createdAt, deletedAt };
}

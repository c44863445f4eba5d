import type { EntityManager } from '@mikro-orm/postgresql';
import type { Comparison, CompareObjects } from '@billing/contracts/rpc/syncs';
import { scopedKey } from '@billing/database/project-objects';
import { findHeldElsewhere } from '@billing/database/held-elsewhere';
import { compareRecords } from '@billing/processor/compare-records';
import { fieldDifferences } from '@billing/processor/field-differences';
import { isOfLife } from '@billing/service/lives';
import type { MirroredRow, MirroredRows } from '@billing/service/mirrored-rows';
import type { z } from 'zod';
import { toPromotionCodeContent } from '#domain/discount.ts';
import {
  COUPON,
  PRICE,
  PRODUCT,
  PROMOTION_CODE,
  type CatalogRow,
  type CatalogSnapshot,
  type RecordType,
} from '#operations/record-types.ts';
import { findCoupons } from '#persistence/find-coupons.ts';
import { isRedeemable } from '#persistence/promotion-code.entity.ts';

type Request = z.output<(typeof CompareObjects)['catalog']['request']>;

/** Compares records of the processor with those of the project. */
export function compareCatalog({ em, now }: { readonly em: EntityManager; readonly now: () => Date }) {
  return async ({ teamId, projectId, type, objects }: Request): Promise<Comparison[]> => {
    const scope = { teamId, projectId };
    const fork = em.fork();
    const areLive =
      <Row extends MirroredRow, Snapshot>(rows: MirroredRows<Row>, idOf: (child: Snapshot) => string) =>
      async (children: readonly Snapshot[]) => {
        const ids = children.map(child => ({ scope, id: idOf(child) }));
        const parents = await rows.findByProcessorIds(fork, ids);
        return ids.map(id => parents.get(scopedKey(id))?.deletedAt === null);
      };

    const table = `${type}s`;
    const findHeld = (ids: readonly string[]) =>
      findHeldElsewhere(fork, { table, column: 'processor_id', isLive: 'deleted_at is null' }, scope, ids);

    const compare = <Row extends CatalogRow, Snapshot extends CatalogSnapshot>(
      { rows, read, toContent }: RecordType<Row, Snapshot>,
      findParents?: (snapshots: readonly Snapshot[]) => Promise<boolean[]>,
    ) =>
      compareRecords(objects, {
        scope,
        parse: read,
        find: ids => rows.findByProcessorIds(fork, ids),
        isOf: (row, { createdAt }) => isOfLife(row, createdAt),
        findHeld,
        differences: (row, snapshot) => fieldDifferences<object>(row, toContent(snapshot)),
        ...(findParents && { findParents }),
      });

    if (type === 'product') return compare(PRODUCT);
    if (type === 'coupon') return compare(COUPON);
    if (type === 'price')
      return compare(
        PRICE,
        areLive(PRODUCT.rows, ({ productId }) => productId),
      );
    let coupons: Awaited<ReturnType<typeof findCoupons>> = new Map();
    return compareRecords(objects, {
      scope,
      parse: PROMOTION_CODE.read,
      find: async ids => {
        const codes = await PROMOTION_CODE.rows.findByProcessorIds(fork, ids);
        coupons = await findCoupons(fork, scope, codes.values());
        return codes;
      },
      isOf: (row, { createdAt }) => isOfLife(row, createdAt),
      findHeld,
      findParents: areLive(COUPON.rows, ({ couponId }) => couponId ?? ''),
      differences: (row, code) => {
        const { isActive, timesRedeemed, metadata, currencyOptions } = toPromotionCodeContent(code);
        const ours = {
          isActive: isRedeemable(row, coupons.get(row.couponId), now()),
          timesRedeemed: row.timesRedeemed,
          metadata: row.metadata,
          currencyOptions: row.currencyOptions,
        };
        return fieldDifferences(ours, {
          isActive,
          timesRedeemed,
          metadata,
          ...(currencyOptions && { currencyOptions }),
        });
      },
    });
  };
}

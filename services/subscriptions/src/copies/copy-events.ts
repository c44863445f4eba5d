import {
  PriceCreated,
  PriceDeleted,
  PriceUpdated,
  ProductCreated,
  ProductDeleted,
  ProductUpdated,
} from '@billing/contracts/events/catalog';
import { ProjectCreated, ProjectUpdated } from '@billing/contracts/events/gateway';
import {
  CustomerCreated,
  CustomerDeleted,
  CustomerUpdated,
  type CustomerState,
} from '@billing/contracts/events/customers';
import { CouponSaved, PromotionCodeSaved } from '@billing/contracts/events/discounts';
import { ProductFeatureSaved, FeatureSaved, GrantSaved } from '@billing/contracts/events/features';
import { recordFilter } from '@billing/contracts/events/record-event';
import { consumer, type Consumer } from '@billing/messaging/consumer/consumer';
import type { ProjectObject } from '@billing/database/project-objects';
import type { Delivery } from '@billing/messaging/consumer/delivery';
import { eraseInvoices, requireErased } from '#money/erase-invoices';
import { saveDiscounts } from '#record/save-discounts';
import { savePrices } from '#record/save-prices';
import type { Dependencies } from '../dependencies.ts';
import {
  saveCustomerCopies,
  saveFeatureCopies,
  saveGrantCopies,
  saveProductCopies,
  saveProductFeatureCopies,
  saveProjectCopies,
  type OwnedBy,
} from './save-copies.ts';

/** Keeps copies of the customers, products, prices, features and grants of other services. */
export function copies(dependencies: Pick<Dependencies, 'now'>): Consumer[] {
  const save = savePrices(dependencies);
  const saveDiscount = saveDiscounts(dependencies);
  return [
    consumer('subscriptions-customers', recordFilter('customer')).on(
      [CustomerCreated, CustomerUpdated, CustomerDeleted],
      async (tx, deliveries) => {
        const deleted = deliveries.filter(({ data }) => data.deletedAt).map(toCustomer);
        await eraseInvoices(tx, deleted);
        await saveCustomerCopies(tx, deliveries.map(toOwned));
        await requireErased(tx, deleted);
      },
    ),
    consumer('subscriptions-products', recordFilter('product')).on(
      [ProductCreated, ProductUpdated, ProductDeleted],
      (tx, deliveries) => saveProductCopies(tx, deliveries.map(toOwned)),
    ),
    consumer('subscriptions-prices', recordFilter('price')).on(
      [PriceCreated, PriceUpdated, PriceDeleted],
      (tx, deliveries, publish) =>
        save(
          tx,
          deliveries.map(delivery => ({ ...toOwned(delivery), trace: delivery.trace })),
          publish,
        ),
    ),
    consumer('subscriptions-coupons', CouponSaved.name).on(CouponSaved, (tx, deliveries, publish) =>
      saveDiscount(
        tx,
        deliveries.map(({ teamId, data, trace }) => {
          return { teamId, trace, state: { ...data, kind: 'coupon', processorId: data.processorCouponId } };
        }),
        publish,
      ),
    ),
    consumer('subscriptions-promotion-codes', PromotionCodeSaved.name).on(
      PromotionCodeSaved,
      (tx, deliveries, publish) =>
        saveDiscount(
          tx,
          deliveries.map(({ teamId, data, trace }) => {
            return {
              teamId,
              trace,
              state: { ...data, kind: 'promotion_code', processorId: data.processorPromotionCodeId },
            };
          }),
          publish,
        ),
    ),
    consumer('subscriptions-projects', 'project.*.v1').on([ProjectCreated, ProjectUpdated], (tx, deliveries) =>
      saveProjectCopies(tx, deliveries.map(toOwned)),
    ),
    consumer('subscriptions-features', FeatureSaved.name).on(FeatureSaved, (tx, deliveries) =>
      saveFeatureCopies(tx, deliveries.map(toOwned)),
    ),
    consumer('subscriptions-product-features', ProductFeatureSaved.name).on(ProductFeatureSaved, (tx, deliveries) =>
      saveProductFeatureCopies(tx, deliveries.map(toOwned)),
    ),
    consumer('subscriptions-grants', GrantSaved.name).on(GrantSaved, (tx, deliveries) =>
      saveGrantCopies(tx, deliveries.map(toOwned)),
    ),
  ];
}

const toOwned = <State>({ teamId, data }: Delivery<State>): OwnedBy<State> => ({ teamId, state: data });

const toCustomer = ({ teamId, data: { projectId, id } }: Delivery<CustomerState>): ProjectObject => ({
  scope: { teamId, projectId },
  id,
});

import type { CheckoutCreate, InvoicePreview, Price } from '@billing/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { problemsOf, PROMOTION_CODE_REFUSALS } from '#api/failure.ts';
import { useProject } from '#api/project.ts';
import { pricesQuery, productsQuery } from '#api/queries.ts';
import { Loading } from '#layout/loading.tsx';
import { ProjectLink } from '#layout/project-link.tsx';
import { useClose } from '#resource/dialog-button.tsx';
import { CostSection, Preview } from '#resource/preview.tsx';
import { Button } from '#ui/button.tsx';
import { Snippet } from '#ui/copy.tsx';
import { Dialog } from '#ui/dialog.tsx';
import { FormDialog } from '#ui/form-dialog.tsx';
import { RefusalNotice } from '#ui/form.tsx';
import { formatMoney } from '#ui/money.ts';
import { CustomerName } from '../customers/customer-name.tsx';
import { dueText, InvoicePreviewDetails } from '../invoices/invoice-preview.tsx';
import { soldPrices } from '../products/sold-prices.ts';
import { describeRefusal } from './describe-refusal.ts';
import { SaleFields } from './sale-fields.tsx';
import { currenciesOf, newSaleForm, readSaleForm } from './sale-form.ts';
import { useSale } from './use-sale.ts';

interface SaleProps {
  /** Without one the reader chooses the customer. */
  readonly customerId?: string;
}

/** Sells a subscription to a customer, collected in the way that the reader chooses, with what is due beside the button. */
export const NewSubscriptionDialog = (props: SaleProps) => <SaleDialog title="New subscription" {...props} />;

/** Makes a link where a customer pays, also for what is sold once. */
export const CheckoutDialog = (props: SaleProps) => <SaleDialog title="New checkout" isPage {...props} />;

interface SaleDialogProps extends SaleProps {
  readonly title: string;
  /** Whether it can only be collected by a page. */
  readonly isPage?: boolean;
}

function SaleDialog(props: SaleDialogProps) {
  const { title, isPage = false } = props;
  const scope = useProject();
  const onClose = useClose();
  const products = useQuery(productsQuery(scope));
  const prices = useQuery(pricesQuery(scope));
  const sold = products.data && prices.data && subscriptionsFirst(soldPrices(prices.data, products.data));
  const first = sold?.find(({ type }) => isPage || type === 'recurring');
  if (sold && first) return <SaleForm {...props} isPage={isPage} sold={sold} first={first} />;
  return (
    <Dialog title={title} onClose={onClose}>
      {sold ? <NothingSold onClose={onClose} /> : <Loading query={products.data ? prices : products} />}
    </Dialog>
  );
}

/** Puts the prices that are billed again and again before those that are billed once. */
const subscriptionsFirst = (prices: readonly Price[]): readonly Price[] =>
  prices.toSorted((a, b) => Number(a.type === 'one_time') - Number(b.type === 'one_time'));

interface SaleFormProps extends SaleDialogProps {
  readonly isPage: boolean;
  readonly sold: readonly Price[];
  /** What the form begins with. */
  readonly first: Price;
}

function SaleForm({ title, customerId, isPage, sold, first }: SaleFormProps) {
  const onClose = useClose();
  const [form, setForm] = useState(() =>
    newSaleForm({
      customerId: customerId ?? '',
      rows: [{ key: 'first', priceId: first.id, quantity: '1' }],
      collect: isPage ? 'page' : 'saved',
    }),
  );
  const wanted = readSaleForm(form, sold);
  const sale = 'sale' in wanted ? wanted.sale : undefined;
  const { preview, write, url } = useSale(sale);
  if (url !== undefined) return <CheckoutLink title={title} url={url} />;

  const codeProblem = problemsOf(write.error ?? preview.error, ['promotionCode'], PROMOTION_CODE_REFUSALS).of
    .promotionCode;
  const refusal = describeRefusal(write.error, preview.data?.currency ?? currenciesOf(form, sold)[0] ?? first.currency);
  return (
    <FormDialog
      title={title}
      lead={
        customerId && (
          <p>
            For <CustomerName id={customerId} />
          </p>
        )
      }
      action={actionOf(form.collect, preview.data)}
      write={write}
      problems={{ rest: codeProblem || refusal ? undefined : write.error }}
      onClose={onClose}
    >
      <SaleFields
        form={form}
        prices={sold}
        onChange={setForm}
        choosesCustomer={!customerId}
        choosesCollection={!isPage}
        codeProblem={codeProblem}
      />
      <CostSection>
        {'missing' in wanted ? (
          <p className="muted">{wanted.missing}</p>
        ) : (
          !codeProblem && <Due sale={wanted.sale} preview={preview} />
        )}
      </CostSection>
      {refusal && <RefusalNotice {...refusal} />}
    </FormDialog>
  );
}

interface DueProps {
  readonly sale: CheckoutCreate;
  readonly preview: ReturnType<typeof useSale>['preview'];
}

/** What is due now. */
const Due = ({ sale, preview }: DueProps) =>
  sale.mode === 'payment' ? (
    <p className="muted">It is paid once. The page says what it costs.</p>
  ) : (
    <Preview query={preview}>{data => <InvoicePreviewDetails preview={data} due={dueText(sale)} />}</Preview>
  );

/** What the button does, with the amount. */
function actionOf(collect: string, preview: InvoicePreview | undefined): string {
  if (collect === 'page') return 'Make the link';
  if (!preview || preview.amountDue <= 0 || collect === 'nothing') return 'Create the subscription';
  const amount = formatMoney(preview.amountDue, preview.currency);
  return collect === 'saved' ? `Charge ${amount}` : `Send an invoice of ${amount}`;
}

function CheckoutLink({ title, url }: { readonly title: string; readonly url: string }) {
  return (
    <Dialog title={title} onClose={useClose()}>
      <p className="muted">The customer pays here. The link is valid for a day.</p>
      <Snippet label="Checkout link" text={url} />
      <div className="dialog-actions">
        <a className="button primary" href={url} target="_blank" rel="noopener noreferrer">
          Open it
        </a>
      </div>
    </Dialog>
  );
}

const NothingSold = ({ onClose }: { readonly onClose: () => void }) => (
  <>
    <p>
      There is no price to sell yet. Create one under <ProjectLink page="products">Products</ProjectLink>.
    </p>
    <div className="dialog-actions">
      <Button onClick={onClose}>Go back</Button>
    </div>
  </>
);

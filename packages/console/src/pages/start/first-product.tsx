import { problemsOf } from '#api/failure.ts';
import { useProject } from '#api/project.ts';
import { useWrite } from '#layout/use-write.ts';
import { TextField } from '#ui/field.tsx';
import { Form, textOf } from '#ui/form.tsx';
import { PRICE_FIELDS, PriceFields, readPrice } from '../products/price-fields.tsx';

/** Creates a product together with its first price. */
export function FirstProduct({ enabled }: { readonly enabled: boolean }) {
  const { billing, key } = useProject();
  const create = useWrite({
    write: async (fields: FormData) => {
      // A price that cannot be read must not leave a product without one.
      const price = readPrice(fields, '');
      const product = await billing.products.create({ name: textOf(fields, 'name') });
      await billing.prices.create({ ...price, productId: product.id });
    },
    stale: [key('products'), key('prices')],
  });
  if (!enabled)
    return <p className="muted">What you sell, and for how much. It is created in Stripe too, so connect first.</p>;
  const problems = problemsOf(create.error, ['name', ...PRICE_FIELDS]);
  return (
    <Form action="Create both" write={create} problems={problems}>
      <div className="form-grid">
        <TextField label="Product" name="name" maxLength={250} required placeholder="Pro" problem={problems.of.name} />
        <PriceFields problems={problems.of} />
      </div>
    </Form>
  );
}

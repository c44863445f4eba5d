import { useQuery } from '@tanstack/react-query';
import { lazyRouteComponent, useParams } from '@tanstack/react-router';
import { useEffect, useState, type ReactNode } from 'react';
import { useProject } from '#api/project.ts';
import { useIsOwner } from '#api/use-is-owner.ts';
import { copyText } from '#ui/copy.tsx';
import { formatMoney } from '#ui/money.ts';
import { useToasts } from '#ui/toasts.tsx';
import { useOpenPage } from './project-link.tsx';
import { applyScheme, isDark } from './scheme.ts';
import { ShortcutSheet } from './shortcuts.tsx';
import type { Verb } from './use-commands.ts';
import { useSignOut } from './user-menu.tsx';

// The dialogs of the pages, which are loaded when they are opened.
const CustomerDialog = lazyRouteComponent(() => import('#pages/customers/customer-dialog.tsx'), 'CustomerDialog');
const NewProductDialog = lazyRouteComponent(() => import('#pages/products/new-product-dialog.tsx'), 'NewProductDialog');
const CheckoutDialog = lazyRouteComponent(() => import('#pages/sales/sale-dialog.tsx'), 'CheckoutDialog');
const NewSubscriptionDialog = lazyRouteComponent(() => import('#pages/sales/sale-dialog.tsx'), 'NewSubscriptionDialog');
const NewInvoiceDialog = lazyRouteComponent(() => import('#pages/invoices/new-invoice-dialog.tsx'), 'NewInvoiceDialog');
const InviteDialog = lazyRouteComponent(() => import('#pages/settings/members-page.tsx'), 'InviteDialog');
const CreateKeyDialog = lazyRouteComponent(() => import('#pages/settings/keys-page.tsx'), 'CreateKeyDialog');
const RefundDialog = lazyRouteComponent(() => import('#pages/payments/payment-actions.tsx'), 'RefundDialog');

/** A verb that its title tells apart. */
type Offer = Omit<Verb, 'id' | 'note'> & { readonly note?: string };

/** Returns what can be done on this page and from everywhere; `show` shows a dialog. */
export function useVerbs(show: (dialog: ReactNode) => void): readonly Verb[] {
  const isOwner = useIsOwner();
  const toasts = useToasts();
  const signOut = useSignOut();
  const open = useOpenPage();
  const onPage = useButtons();
  const id = useRecordId();
  const payment = useLastPayment();
  const copyId = async (text: string) => {
    if (await copyText(text)) toasts.done(`${text} is copied.`);
    else toasts.failed('The id is not copied.', new Error('The browser does not allow it.'));
  };
  const everywhere: readonly (Offer | false | undefined)[] = [
    payment && {
      title: 'Refund…',
      note: `The last payment, ${formatMoney(payment.amount, payment.currency)}`,
      icon: 'payments',
      run: () => show(<RefundDialog payment={payment} />),
    },
    id !== undefined && { title: 'Copy the id', note: id, icon: 'copy', run: () => void copyId(id) },
    { title: 'New customer', icon: 'plus', run: () => show(<CustomerDialog />) },
    { title: 'New product', icon: 'plus', run: () => show(<NewProductDialog />) },
    { title: 'New checkout', words: 'link', icon: 'plus', run: () => show(<CheckoutDialog />) },
    { title: 'New subscription', words: 'sell', icon: 'plus', run: () => show(<NewSubscriptionDialog />) },
    { title: 'New invoice', words: 'bill charge', icon: 'plus', run: () => show(<NewInvoiceDialog />) },
    {
      title: 'Compare the catalog',
      words: 'document file project apply',
      icon: 'products',
      run: () => open('products/compare'),
    },
    { title: 'New API key', icon: 'plus', run: () => show(<CreateKeyDialog />) },
    isOwner && { title: 'Invite someone', words: 'member', icon: 'plus', run: () => show(<InviteDialog />) },
    isDark()
      ? { title: 'Switch to light colors', words: 'mode', icon: 'sun', run: () => applyScheme('light') }
      : { title: 'Switch to dark colors', words: 'mode', icon: 'moon', run: () => applyScheme('dark') },
    { title: 'Keyboard shortcuts', words: 'help', icon: 'info', run: () => show(<ShortcutSheet />) },
    { title: 'Sign out', words: 'log', icon: 'signOut', run: signOut },
  ];
  const others = everywhere
    .filter(offer => offer !== undefined && offer !== false)
    .filter(({ title }) => onPage.every(button => button.title !== title))
    .map(offer => ({ id: offer.title, note: '', ...offer }));
  return [...onPage, ...others];
}

/** Returns what the page has buttons for, also those that it has only once it has loaded. */
function useButtons(): readonly Verb[] {
  const [verbs, setVerbs] = useState(readButtons);
  useEffect(() => {
    const content = document.querySelector('#content');
    const changes = new MutationObserver(() => setVerbs(readButtons()));
    if (content) changes.observe(content, { childList: true, subtree: true, attributeFilter: ['disabled'] });
    return () => changes.disconnect();
  }, []);
  return verbs;
}

/** Returns what the page has buttons for, but those of tables, which have many of one kind, and of forms. */
function readButtons(): readonly Verb[] {
  const OUTSIDE = ':not(:is(table, form, .pager, .snippet) *, :disabled, [aria-expanded], [popovertarget])';
  const found = document.querySelectorAll<HTMLElement>(`#content button.button${OUTSIDE}`);
  const verbs = [...found].map(button => {
    const title = button.ariaLabel ?? button.textContent;
    const note = button.closest('li')?.querySelector('.primary-cell')?.textContent ?? 'On this page';
    return { id: `${title} ${note}`, title, note, icon: 'right' as const, run: () => press(button) };
  });
  return verbs.filter(({ id }, at) => verbs.findIndex(verb => verb.id === id) === at);
}

/** The focus returns to the button from the dialog that it opens. */
function press(button: HTMLElement): void {
  button.focus();
  button.click();
}

/** Returns the id of the record on screen. */
function useRecordId(): string | undefined {
  const params: Readonly<Record<string, string>> = useParams({ strict: false });
  // After those of the team and the project.
  return Object.values(params)[2];
}

/** Returns the newest payment that can be refunded of the customer or the subscription on screen. */
function useLastPayment() {
  const { billing, key } = useProject();
  const { customerId, subscriptionId } = useParams({ strict: false });
  const of = customerId ? { customerId } : subscriptionId ? { subscriptionId } : undefined;
  const { data } = useQuery({
    queryKey: key('payments', of, 'last'),
    queryFn: ({ signal }) => billing.payments.list({ ...of, status: 'succeeded', limit: 1 }, { signal }).page(),
    enabled: of !== undefined,
  });
  return data?.items[0];
}

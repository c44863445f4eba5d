import type { ComponentProps, ReactNode } from 'react';
import { describeFailure } from '#api/failure.ts';
import { Button } from './button.tsx';
import { Notice } from './notice.tsx';
import { RequestId } from './request-id.tsx';

export interface FormProps {
  /** What it does, on its button. */
  readonly action: string;
  readonly kind?: ComponentProps<typeof Button>['kind'];
  readonly write: {
    readonly isPending: boolean;
    readonly error: unknown;
    readonly mutate: (fields: FormData) => void;
  };
  /** Its error without what the fields show of it; needless where no field does. */
  readonly problems?: { readonly rest: unknown };
  readonly children: ReactNode;
  /** Puts other buttons beside its own. */
  readonly buttons?: (own: ReactNode) => ReactNode;
}

/** Fields, why they were refused, and the button that sends them. */
export function Form(props: FormProps) {
  const { action, kind = 'primary', write, problems = { rest: write.error }, children, buttons } = props;
  const own = (
    <Button kind={kind} type="submit" busy={write.isPending}>
      {action}
    </Button>
  );
  return (
    <form
      className="stack"
      onSubmit={event => {
        event.preventDefault();
        write.mutate(new FormData(event.currentTarget));
      }}
    >
      {children}
      <FormProblem error={problems.rest} />
      {buttons ? buttons(own) : <div className="row">{own}</div>}
    </form>
  );
}

/** Returns a field's text as it was typed, such as a password. */
export const passwordOf = (fields: FormData, name: string): string => {
  const value = fields.get(name);
  return typeof value === 'string' ? value : '';
};

/** Returns a field's text without spaces around it. */
export const textOf = (fields: FormData, name: string): string => passwordOf(fields, name).trim();

/** Why the request of a form was refused. */
export function FormProblem({ error }: { readonly error: unknown }) {
  if (!error) return null;
  const { message, requestId } = describeFailure(error);
  return <RefusalNotice requestId={requestId}>{message}</RefusalNotice>;
}

interface RefusalNoticeProps {
  readonly requestId: string | undefined;
  readonly children: ReactNode;
}

/** Why a request was refused, with its id, which finds it in the logs. */
export const RefusalNotice = ({ requestId, children }: RefusalNoticeProps) => (
  <Notice tone="bad" role="alert">
    {children}
    <RequestId id={requestId} />
  </Notice>
);

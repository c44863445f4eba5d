/** Finds a request in the logs; nothing without an id. */
export const RequestId = ({ id }: { readonly id: string | undefined }) =>
  id && (
    <div className="small muted">
      Request id <code>{id}</code>
    </div>
  );

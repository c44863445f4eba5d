import { useProject } from '#api/project.ts';
import { useWrite } from '#layout/use-write.ts';
import { Button } from '#ui/button.tsx';

/** Stops a migration; what it has scheduled stays. */
export function StopButton({ id }: { readonly id: string }) {
  const { billing, key } = useProject();
  const cancel = useWrite({
    write: () => billing.priceMigrations.cancel(id),
    stale: [key('price-migrations')],
    failed: 'The migration was not stopped.',
  });
  return (
    <Button busy={cancel.isPending} onClick={() => cancel.mutate()}>
      Stop
    </Button>
  );
}

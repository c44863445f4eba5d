import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useProject } from '#api/project.ts';
import { LoadingPage } from '#layout/loading.tsx';
import { Card, Page } from '#layout/page.tsx';
import { SwitchButton } from '#layout/switch-button.tsx';
import { DialogButton } from '#resource/dialog-button.tsx';
import { CopyableId } from '#ui/copy.tsx';
import { Details } from '#ui/details.tsx';
import { Notice } from '#ui/notice.tsx';
import { Time } from '#ui/time.tsx';
import { RenameFeatureDialog } from './feature-dialog.tsx';
import { describeType } from './feature-words.ts';
import { GivenCard } from './given-card.tsx';

const UP = { page: 'features', title: 'Features' } as const;

/** A feature, and what gives it. */
export function FeaturePage() {
  const scope = useProject();
  const { featureKey = '' } = useParams({ strict: false });
  const query = useQuery({
    queryKey: scope.key('features', featureKey),
    queryFn: ({ signal }) => scope.billing.features.get(featureKey, { signal }),
  });
  const { data: feature } = query;
  if (!feature) return <LoadingPage query={query} title="Feature" up={UP} />;
  return (
    <Page
      title={feature.name}
      up={UP}
      actions={
        <>
          <DialogButton dialog={<RenameFeatureDialog feature={feature} />}>Rename</DialogButton>
          <SwitchButton
            noun="feature"
            isActive={feature.isActive}
            off="Deactivate"
            write={isActive => scope.billing.features.update(featureKey, { isActive })}
            stale={[scope.key('features')]}
            done={(_, isActive) => `The feature is ${isActive ? 'active' : 'inactive'}.`}
          >
            No customer may use <bdi>{feature.name}</bdi> any more, at once. What products, prices and grants give of it
            is kept for when it is active again.
          </SwitchButton>
        </>
      }
    >
      {!feature.isActive && <Notice>This feature is inactive: no customer may use it, whatever gives it.</Notice>}
      <GivenCard of={{ featureKey }} />
      <Card title="Details">
        <Details
          of={{
            Key: <CopyableId id={feature.key} />,
            Values: <bdi>{describeType(feature)}</bdi>,
            Id: <CopyableId id={feature.id} />,
            Created: <Time at={feature.createdAt} show="time" />,
          }}
        />
      </Card>
    </Page>
  );
}

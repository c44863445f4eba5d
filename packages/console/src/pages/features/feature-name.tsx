import type { Feature } from '@billing/client';
import { ProjectLink } from '#layout/project-link.tsx';
import { SelectField } from '#ui/field.tsx';

interface FeatureLinkProps {
  readonly featureKey: string;
  /** What is known of the project's features. */
  readonly features: readonly Feature[];
}

/** A feature's name as a link to its page. */
export const FeatureLink = ({ featureKey, features }: FeatureLinkProps) => (
  <ProjectLink page={`features/${featureKey}`} className="primary-cell">
    <bdi>{features.find(({ key }) => key === featureKey)?.name ?? featureKey}</bdi>
  </ProjectLink>
);

/** The column that names the feature of each row. */
export const featureColumn = (features: readonly Feature[]) => ({
  title: 'Feature',
  cell: ({ key }: { readonly key: string }) => <FeatureLink featureKey={key} features={features} />,
});

interface FeatureSelectProps {
  readonly name: string;
  readonly features: readonly Feature[];
  readonly value: string | undefined;
  readonly onChange: (key: string) => void;
}

/** A choice of a feature, as a part of a form. */
export const FeatureSelect = ({ name, features, value, onChange }: FeatureSelectProps) => (
  <SelectField label="Feature" name={name} value={value} onChange={event => onChange(event.target.value)}>
    {features.map(feature => (
      <option key={feature.key} value={feature.key}>
        {feature.name}
      </option>
    ))}
  </SelectField>
);

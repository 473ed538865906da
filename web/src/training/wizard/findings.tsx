import { Alert, List } from '@mantine/core';
import { IconAlertTriangle, IconInfoCircle } from '@tabler/icons-react';
import type { Finding } from './queries';

/** What the preflight found about one step. */
export function Findings({ errors, warnings }: { errors: readonly Finding[]; warnings: readonly Finding[] }) {
  return (
    <div aria-live="polite">
      {errors.length > 0 && (
        <Alert color="red" variant="light" icon={<IconAlertTriangle aria-hidden />} mb="sm">
          <FindingList findings={errors} />
        </Alert>
      )}
      {warnings.length > 0 && (
        <Alert color="yellow" variant="light" icon={<IconInfoCircle aria-hidden />} mb="sm">
          <FindingList findings={warnings} />
        </Alert>
      )}
    </div>
  );
}

function FindingList({ findings }: { findings: readonly Finding[] }) {
  return (
    <List size="md" listStyleType="none">
      {findings.map((finding) => (
        <List.Item key={`${finding.loc.join('.')} ${finding.msg}`}>{sentenceOf(finding)}</List.Item>
      ))}
    </List>
  );
}

/** `split.train must be greater than 0` */
export const sentenceOf = ({ loc, msg }: Finding): string => {
  const place = loc.slice(1);
  return place.length === 0 || place[0] === 'hyperparameters' ? msg : `${place.join('.')}: ${msg}`;
};

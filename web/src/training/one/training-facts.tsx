import { Anchor, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Schemas } from '../../api/client';
import { useTenant } from '../../app/session';
import { CopyText } from '../../shared/copy-text';
import { Facts } from '../../shared/facts';
import { wordOf } from '../../shared/state-chip';
import { VersionLink } from '../../shared/links';
import { useWorkflowFact } from '../../shared/temporal';
import { durationBetween, Time, useNow } from '../../shared/time';
import { text } from '../../text';
import { DatasetLink } from '../list/columns';
import type { ExperimentDetail } from '../queries';
import { runQuery } from '../tracker/queries';
import { VersionLinks } from '../tracker/register-button';

/** The version of a model that it begins with. */
function baseFact({ config }: ExperimentDetail) {
  const given = config.pretrained as Schemas['PretrainedConfig'] | null;
  const { model_name: name, version } = given ?? {};
  if (!given?.enabled || given.source !== 'model' || !name || !version) return [];
  const link = (
    <VersionLink key="base" name={name} version={version}>
      {`${name} ${version}`}
    </VersionLink>
  );
  return [[text.training.one.facts.base, link] as const];
}

export function TrainingFacts({ experiment }: { experiment: ExperimentDetail }) {
  const words = text.training.one.facts;
  const tenant = useTenant();
  const { code } = tenant;
  const { data: run } = useQuery({
    ...runQuery(tenant, experiment.tracker_run_id),
    enabled: experiment.status === 'SUCCEEDED',
  });
  const { started_at: start, finished_at: end } = experiment;
  const workflows = useWorkflowFact('training', experiment.id);
  const now = useNow(start !== null && end === null ? 1000 : null);
  return (
    <Facts
      items={[
        [words.task, wordOf(experiment.task)],
        [words.model, `${experiment.framework} / ${experiment.model}`],
        ...baseFact(experiment),
        [words.dataset, <DatasetLink key="dataset" id={experiment.dataset_id} />],
        [
          words.digest,
          <CopyText
            key="digest"
            value={experiment.dataset_digest}
            shown={`${experiment.dataset_digest.slice(0, 12)}…`}
          />,
        ],
        [words.gpu, experiment.gpu],
        [words.attempt, experiment.attempt],
        [
          words.run,
          <Anchor
            key="run"
            className="mono"
            renderRoot={(props: object) => (
              <Link
                to="/t/$tenant/runs/$runId"
                params={{ tenant: code, runId: experiment.tracker_run_id }}
                {...props}
              />
            )}
          >
            {experiment.tracker_run_id.slice(0, 12)}…
          </Anchor>,
        ],
        ...(run === undefined || run.registered_versions.length === 0
          ? []
          : [
              [
                text.training.tracker.versions,
                <Group key="versions" gap="xs">
                  <VersionLinks run={run} />
                </Group>,
              ] as const,
            ]),
        ...(experiment.preset === null ? [] : [[words.preset, experiment.preset] as const]),
        [words.created, <Time key="created" iso={experiment.created_at} />],
        [words.started, <Time key="started" iso={start} />],
        [words.duration, start === null ? '–' : durationBetween(start, end, now)],
        [words.id, <CopyText key="id" value={experiment.id} />],
        ...workflows,
      ]}
    />
  );
}

import { Anchor, Group } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTenant } from '../../app/session';
import { CopyText } from '../../shared/copy-text';
import { Facts } from '../../shared/facts';
import { durationBetween, Time, useNow } from '../../shared/time';
import { text } from '../../text';
import type { Run } from './queries';
import { VersionLinks } from './register-button';

export function RunFacts({ run }: { run: Run }) {
  const words = text.training.tracker;
  const { code } = useTenant();
  const { started_at: start, finished_at: end, training_experiment_id: training } = run;
  const now = useNow(start !== null && end === null ? 1000 : null);
  return (
    <Facts
      items={[
        [words.experiment, run.experiment_name],
        [words.project, run.project],
        ...(training === null
          ? []
          : [
              [
                words.training,
                <Anchor
                  key="training"
                  renderRoot={(props: object) => (
                    <Link
                      to="/t/$tenant/training/$experimentId"
                      params={{ tenant: code, experimentId: training }}
                      {...props}
                    />
                  )}
                >
                  {words.openTraining}
                </Anchor>,
              ] as const,
            ]),
        ...(run.registered_versions.length === 0
          ? []
          : [
              [
                words.versions,
                <Group key="versions" gap="xs">
                  <VersionLinks run={run} />
                </Group>,
              ] as const,
            ]),
        [words.started, <Time key="started" iso={start} />],
        [words.finished, <Time key="finished" iso={end} />],
        [words.duration, start === null ? '–' : durationBetween(start, end, now)],
        [words.runId, <CopyText key="id" value={run.run_id} />],
      ]}
    />
  );
}

import { Badge, Group, UnstyledButton } from '@mantine/core';
import { text } from '../../text';
import { STEPS, type WizardStep } from './draft';

interface StepNavProps {
  readonly here: WizardStep;
  /** Things in the way, by step. */
  readonly errors: ReadonlyMap<WizardStep, number>;
  readonly onGo: (step: WizardStep) => void;
}

/** The five steps; each can be gone to at any time. */
export function StepNav({ here, errors, onGo }: StepNavProps) {
  return (
    <nav aria-label={text.training.wizard.title}>
      <Group component="ol" gap={4} m={0} p={0} style={{ listStyle: 'none' }}>
        {STEPS.map((step, place) => {
          const wrong = errors.get(step) ?? 0;
          const isHere = step === here;
          return (
            <li key={step}>
              <UnstyledButton
                px="sm"
                py={6}
                onClick={() => onGo(step)}
                aria-current={isHere ? 'step' : undefined}
                fw={isHere ? 600 : 400}
                style={{
                  display: 'inline-flex',
                  alignItems: 'center',
                  gap: 8,
                  borderRadius: 6,
                  border: '1px solid',
                  borderColor: isHere ? 'var(--mantine-primary-color-filled)' : 'var(--line)',
                }}
              >
                <span className="mono">{place + 1}</span>
                {text.training.wizard.steps[step]}
                {wrong > 0 && (
                  <Badge size="sm" color="red.9" variant="filled" circle>
                    {wrong}
                  </Badge>
                )}
              </UnstyledButton>
            </li>
          );
        })}
      </Group>
    </nav>
  );
}

import logging
import time
import unittest
from unittest import mock

from visionops_device.client import TokenWatch

from .agent_case import AgentCase

WHAT_TO_DO = "ask an operator for a new token (token:rotate) and start the agent again with it"


class TokenWatchCase(unittest.TestCase):
    def setUp(self):
        self.log = mock.Mock(logging.Logger)
        self.watch = TokenWatch(self.log)

    def said(self):
        return self.log.error.call_count, self.log.info.call_count

    def test_speaks_when_the_state_changes_and_only_then(self):
        for status, said in ((200, (0, 0)), (401, (1, 0)), (401, (1, 0)), (503, (1, 0)), (403, (1, 0)), (200, (1, 1)), (201, (1, 1)), (401, (2, 1))):
            self.watch.heard(status, time.monotonic())
            self.assertEqual(self.said(), said)
        self.assertIn(WHAT_TO_DO, self.log.error.call_args.args[0])

    def test_does_not_count_an_answer_to_what_was_asked_before_the_change(self):
        before = time.monotonic()
        self.watch.heard(401, before)
        self.watch.heard(200, before)
        self.watch.heard(401, time.monotonic())
        self.assertEqual(self.said(), (1, 0))


class TokenCase(AgentCase):
    def test_says_once_what_to_do_while_the_platform_refuses_its_token(self):
        agent, _ = self.start()
        self.wait(lambda: self.platform.heartbeats)
        with mock.patch.object(agent.log, "error") as error:
            refusals = self.platform.refusals = [("/", 401)] * 10_000
            self.wait(lambda: len(refusals) < 9_990)
            self.assertEqual(sum(WHAT_TO_DO in call.args[0] for call in error.call_args_list), 1)
        self.platform.refusals = []
        self.wait(lambda: not agent.watch.is_refused)

import unittest

from visionops_device.settings import BadSettings, read_settings


class SettingsCase(unittest.TestCase):
    def test_says_which_variable_is_missing(self):
        for env, name in (({}, "VISIONOPS_URL"), ({"VISIONOPS_URL": "http://h"}, "VISIONOPS_DEVICE_TOKEN")):
            with self.assertRaisesRegex(BadSettings, name):
                read_settings(env)
        with self.assertRaisesRegex(BadSettings, "VISIONOPS_UPLOAD_BELOW"):
            read_settings({"VISIONOPS_URL": "http://h", "VISIONOPS_DEVICE_TOKEN": "t", "VISIONOPS_UPLOAD_BELOW": "low"})

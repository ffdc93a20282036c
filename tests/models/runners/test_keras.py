"""Models of Keras."""

from pathlib import Path

import numpy as np
import pytest

from adjudge.errors import InputError
from tests.support import tiny_models as tiny
from tests.support.layers import features, run


@pytest.mark.parametrize("suffix", ["keras", "h5"])
def test_layers_of_keras(tmp_path: Path, suffix: str) -> None:
    made = tiny.keras_file(tmp_path / f"net.{suffix}")
    keras = tiny.need("keras", "keras")
    model = keras.models.load_model(made.path, compile=False)
    assert [type(each).__name__ for each in model.layers[-5:]] == ["Flatten", "Dense", "Dropout", "Dense", "Activation"]
    for place, layer in list(enumerate(model.layers))[1:]:
        said = keras.ops.convert_to_numpy(keras.Model(model.inputs[0], layer.output)(tiny.scaled(), training=False))
        expected = np.asarray(said).reshape(50, -1)
        np.testing.assert_allclose(features(made, layer.name), expected, atol=1e-5)
        np.testing.assert_allclose(features(made, place - len(model.layers)), expected, atol=1e-5)
    np.testing.assert_allclose(features(made, -7), tiny.scaled().reshape(50, -1), atol=1e-6)
    np.testing.assert_allclose(features(made, "-1"), made.probabilities, atol=1e-5)
    assert features(made, model.layers[1].name).shape == (50, 6 * 6 * 3)
    name = model.layers[1].name
    with pytest.raises(InputError, match=rf"net.{suffix}: there is no layer '{name}x'; did you mean '{name}'"):
        run(made, f"{name}x")
    with pytest.raises(
        InputError, match=rf"there is no layer -8; the 7 layers are -7 .* to -1 \('{model.layers[-1].name}'\)"
    ):
        run(made, -8)

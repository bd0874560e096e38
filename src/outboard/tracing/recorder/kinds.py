"""Which class of time model each aten operator belongs to, and how many kernels CUDA launches for it.

Names are those of the overload packet ("add" for ``aten.add.Tensor``); an in-place twin ("add_") is looked up without
its underscore. What is in no list is elementwise if torch tags it pointwise, and "other" if not.
"""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_NAMES = {
    "matmul": """
        mm bmm addmm baddbmm addbmm mv addmv dot vdot addr _addmm_activation _cudnn_rnn _cudnn_rnn_backward
        int8_matmul
    """,
    "conv": """
        convolution _convolution
    """,
    "attention": """
        _scaled_dot_product_flash_attention _scaled_dot_product_efficient_attention
        _scaled_dot_product_cudnn_attention _flash_attention_forward _efficient_attention_forward
        _scaled_dot_product_flash_attention_for_cpu
    """,
    "attention_backward": """
        _scaled_dot_product_flash_attention_backward _scaled_dot_product_efficient_attention_backward
        _scaled_dot_product_cudnn_attention_backward _flash_attention_backward _efficient_attention_backward
        _scaled_dot_product_flash_attention_for_cpu_backward
    """,
    "norm": """
        native_batch_norm _native_batch_norm_legit _native_batch_norm_legit_no_training cudnn_batch_norm
        _batch_norm_with_update _batch_norm_no_update native_layer_norm native_group_norm _fused_rms_norm
        _weight_norm_interface rms_norm batch_norm_stats batch_norm_elemt
    """,
    "norm_backward": """
        native_batch_norm_backward cudnn_batch_norm_backward batch_norm_backward native_layer_norm_backward
        native_group_norm_backward _fused_rms_norm_backward _weight_norm_interface_backward rms_norm_backward
    """,
    "softmax": """
        _softmax _log_softmax _safe_softmax _masked_softmax
    """,
    "softmax_backward": """
        _softmax_backward_data _log_softmax_backward_data _masked_softmax_backward
    """,
    "reduction": """
        sum mean amax amin max min prod var var_mean std std_mean norm linalg_vector_norm any all argmax argmin
        logsumexp cumsum cumprod cummax cummin logcumsumexp nll_loss_forward nll_loss2d_forward mse_loss l1_loss
        smooth_l1_loss huber_loss binary_cross_entropy count_nonzero aminmax nansum median nanmedian trace
        _cdist_forward cross_entropy bincount histc equal
    """,
    "pool": """
        max_pool2d_with_indices max_pool3d_with_indices avg_pool2d avg_pool3d _adaptive_avg_pool2d
        _adaptive_avg_pool3d adaptive_max_pool2d adaptive_max_pool3d fractional_max_pool2d upsample_nearest1d
        upsample_nearest2d upsample_nearest3d upsample_bilinear2d upsample_bicubic2d upsample_linear1d
        upsample_trilinear3d _upsample_bilinear2d_aa _upsample_bicubic2d_aa _upsample_nearest_exact1d
        _upsample_nearest_exact2d avg_pool1d _upsample_nearest_exact3d grid_sampler_2d grid_sampler_3d im2col
        roi_align roi_pool
    """,
    "pool_backward": """
        max_pool2d_with_indices_backward max_pool3d_with_indices_backward avg_pool2d_backward avg_pool3d_backward
        _adaptive_avg_pool2d_backward _adaptive_avg_pool3d_backward adaptive_max_pool2d_backward
        adaptive_max_pool3d_backward fractional_max_pool2d_backward upsample_nearest1d_backward
        upsample_nearest2d_backward upsample_nearest3d_backward upsample_bilinear2d_backward
        upsample_bicubic2d_backward upsample_linear1d_backward upsample_trilinear3d_backward
        _upsample_bilinear2d_aa_backward _upsample_bicubic2d_aa_backward _upsample_nearest_exact2d_backward
        _upsample_nearest_exact1d_backward grid_sampler_2d_backward grid_sampler_3d_backward col2im
        _roi_align_backward _roi_pool_backward
    """,
    "copy": """
        clone _to_copy copy cat stack repeat roll flip constant_pad_nd reflection_pad1d reflection_pad2d
        replication_pad1d replication_pad2d replication_pad3d reflection_pad3d fill zero zeros ones full zeros_like
        ones_like full_like new_zeros new_ones new_full slice_backward select_backward slice_scatter select_scatter
        tril triu pixel_shuffle pixel_unshuffle channel_shuffle native_channel_shuffle arange linspace scalar_tensor
        eye diagonal_backward diag_embed unfold_backward unfold_copy reflection_pad1d_backward
        reflection_pad2d_backward reflection_pad3d_backward replication_pad1d_backward replication_pad2d_backward
        replication_pad3d_backward contiguous expand_copy as_strided_copy as_strided_scatter split_with_sizes_copy
        rot90 tril_indices triu_indices diagonal_copy diagonal_scatter permute_copy view_copy _cast lift
        repeat_interleave full_copy logspace resize_as block_diag pad_sequence _pack_padded_sequence complex
        _foreach_copy hann_window range
    """,
    "gather": """
        embedding index gather index_select take _embedding_bag take_along_dim _unsafe_index
    """,
    "scatter": """
        embedding_dense_backward index_put _index_put_impl scatter scatter_add index_add index_copy index_fill
        masked_scatter scatter_reduce _unsafe_index_put one_hot nll_loss_backward nll_loss2d_backward put
        masked_select nonzero unique _unique2 _embedding_bag_dense_backward index_reduce unique_consecutive
        masked_scatter_backward nonzero_static bucketize searchsorted unique_dim
    """,
    "random": """
        native_dropout bernoulli normal uniform rand randn randint randperm rand_like randn_like randint_like
        exponential multinomial random log_normal geometric cauchy normal_functional _fused_dropout rrelu_with_noise
        poisson
    """,
    "sort": """
        topk sort kthvalue argsort nms msort
    """,
    "fft": """
        _fft_r2c _fft_c2r _fft_c2c
    """,
    "elementwise": """
        native_dropout_backward nan_to_num where clamp masked_fill threshold_backward gelu_backward silu_backward
        hardswish_backward hardsigmoid_backward hardtanh_backward leaky_relu_backward elu_backward sigmoid_backward
        tanh_backward softplus_backward mish_backward log_sigmoid_backward mse_loss_backward smooth_l1_loss_backward
        huber_loss_backward l1_loss_backward binary_cross_entropy_backward _prelu_kernel _prelu_kernel_backward
        prelu_backward log_sigmoid_forward glu glu_backward view_as_complex view_as_real lerp addcmul addcdiv
        softshrink_backward hardshrink_backward cross linalg_cross renorm mish log_sigmoid polar celu rrelu clip
        _weight_int8pack_mm softshrink soft_margin_loss soft_margin_loss_backward fmod float_power
        _amp_foreach_non_finite_check_and_unscale _foreach_add _foreach_mul _foreach_div _foreach_norm
        binary_cross_entropy_with_logits hardswish hardsigmoid hardtanh floor_divide remainder kl_div xlogy heaviside
        logit_backward _cdist_backward _fake_quantize_learnable_per_tensor_affine _thnn_fused_lstm_cell
        _thnn_fused_gru_cell rms_norm_scale isin
    """,
}

KIND_OF = {name: kind for kind, names in _NAMES.items() for name in names.split()}

# Kernels that CUDA launches in eager mode where it is not one, from the CUDA implementations in aten/src/ATen/native.
KERNELS = {
    "native_layer_norm_backward": 2,  # input gradient, then gamma and beta together
    "_fused_rms_norm_backward": 2,
    "native_group_norm": 2,  # moments per row, then scale and shift
    "native_group_norm_backward": 4,
    "native_batch_norm": 2,  # statistics, then normalisation; cuDNN takes one for small planes
    "native_batch_norm_backward": 2,
    "constant_pad_nd": 2,  # fill, then copy of the inner part
    "slice_backward": 2,
    "select_backward": 2,
    "slice_scatter": 2,
    "embedding_dense_backward": 4,  # fill, sort of the indices, segment offsets, sums
    "scatter": 2,
    "scatter_add": 2,
    "index_put": 4,
    "topk": 2,
    "sort": 3,
    "argsort": 3,
    "nonzero": 3,
    "cumsum": 2,
    "_scaled_dot_product_flash_attention_backward": 3,  # dot(do, o), main, conversion of dq
    "_scaled_dot_product_efficient_attention_backward": 2,
    "max_pool2d_with_indices_backward": 2,  # fill, then scatter
    "binary_cross_entropy_with_logits": 6,
    "multinomial": 4,
    "randperm": 3,
    "nms": 3,
    "nll_loss_backward": 2,  # fill, then write of one column
    "nll_loss2d_backward": 2,
    "unique": 5,
    "_unique2": 5,
    "upsample_bicubic2d_backward": 2,
    "upsample_bilinear2d_backward": 2,
    "grid_sampler_2d_backward": 2,
    "reflection_pad2d_backward": 2,
    "replication_pad2d_backward": 2,
    "diagonal_backward": 2,
    "unfold_backward": 2,
}

# Operators that launch nothing: they allocate, alias or ask.
SILENT = _words(
    """
    empty new_empty empty_like empty_strided new_empty_strided empty_permuted detach alias view _unsafe_view
    _reshape_alias lift_fresh expand squeeze unsqueeze t transpose permute select slice as_strided unbind split
    split_with_sizes chunk narrow diagonal unfold movedim real imag resize resize_ set set_ is_same_size device
    sym_size sym_stride sym_numel sym_storage_offset is_contiguous dim size stride _has_compatible_shallow_copy_type
    as_strided_ _local_scalar_dense record_stream requires_grad_ detach_ _to_cpu pin_memory is_pinned _pin_memory lift
    squeeze_ unsqueeze_ t_ transpose_ view_as_complex view_as_real _conj _neg_view resolve_conj resolve_neg
    unsafe_split unsafe_chunk unsafe_split_with_sizes _shape_as_tensor item is_nonzero rename _assert_async
    _assert_tensor_metadata _assert_scalar storage_offset _version is_coalesced expand_as _lazy_clone
    """
)

# In-place operators that overwrite without reading what was there.
OVERWRITES = _words("copy fill zero normal uniform bernoulli random exponential log_normal geometric cauchy")

# Operators that read, of their first tensor, only as much as they give out.
PICKS = _words("embedding index gather index_select take take_along_dim _unsafe_index index_fill")
